-- What benchmarks/load.py has wrk send. Arguments: prefixes, first index, method, path, body, then "Name: value" headers.
local prefixes, paths, bodies = {}, {}, {}
local index

local function split(text)
  local parts, from = {}, 1
  while true do
    local at, to = text:find("{number}", from, true)
    parts[#parts + 1] = text:sub(from, (at or 0) - 1)
    if not at then return parts end
    from = to + 1
  end
end

local function fill(parts)
  local text = { parts[1] }
  for part = 2, #parts do
    local prefix = prefixes[index % #prefixes + 1]
    text[#text + 1] = string.format("%s%06d0", prefix, math.floor(index / #prefixes) % 1000000)
    text[#text + 1] = parts[part]
    index = index + 1
  end
  return table.concat(text)
end

function init(args)
  for prefix in args[1]:gmatch("%d+") do prefixes[#prefixes + 1] = prefix end
  index = tonumber(args[2])
  wrk.method = args[3]
  paths, bodies = split(args[4]), split(args[5])
  for header = 6, #args do
    local name, value = args[header]:match("^([^:]+): (.*)$")
    wrk.headers[name] = value
  end
end

function request()
  local path = fill(paths)
  return wrk.format(nil, path, nil, #bodies > 1 and fill(bodies) or nil)
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format("result %d %d %d %.6f", summary.requests, failed, summary.duration, latency:percentile(99) / 1e3))
end
