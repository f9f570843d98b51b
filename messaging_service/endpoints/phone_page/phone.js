// Shows what telephones of the simulated network got and wrote, as the service tells it, and sends what a person answers.
const MOST_TEXTS = 500; // of one number
// E.164: of one digit, of two, or else of three.
const CALLING_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

const find = (id) => document.getElementById(id);
const telephones = new Map(); // number -> {texts, ids, unread}
let chosen = "";
let isCaughtUp = false; // what was there before this page isn't news

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function grouped(number) {
  const [code] = number.match(CALLING_CODE) ?? [""];
  return `+${code} ${number.slice(code.length).replace(/\d{3}(?=\d{2})/g, "$& ")}`;
}

function take(texts) {
  for (const text of texts) {
    const telephone = telephones.get(text.number) ?? { texts: [], ids: new Set(), unread: 0 };
    telephones.set(text.number, telephone);
    if (telephone.ids.has(text.id)) continue;
    telephone.ids.add(text.id);
    telephone.texts.push(text);
    telephone.texts.sort((one, other) => one.at - other.at);
    if (telephone.texts.length > MOST_TEXTS) telephone.ids.delete(telephone.texts.shift().id);
    if (isCaughtUp && text.kind === "received" && text.number !== chosen) telephone.unread += 1;
  }
  isCaughtUp = true;
  show();
}

function show() {
  showNumbers();
  showChat();
}

function showNumbers() {
  const last = (telephone) => telephone.texts.at(-1);
  const latestFirst = [...telephones].sort(([, one], [, other]) => last(other).at - last(one).at);
  find("nothing").hidden = telephones.size > 0;
  find("choose").hidden = telephones.size === 0;
  const focused = document.activeElement?.closest("nav a")?.hash;
  find("numbers").replaceChildren(
    ...latestFirst.map(([number, telephone]) => {
      const { at, text, kind } = last(telephone);
      const link = element(
        "a",
        { href: `#${number}` },
        element("strong", { textContent: grouped(number) }),
        element("time", { textContent: clock.format(at) }),
        element("span", { className: "last", textContent: kind === "written" ? `You: ${text}` : text }),
      );
      if (telephone.unread) link.append(element("span", { className: "new", textContent: telephone.unread, title: "new" }));
      if (number === chosen) link.setAttribute("aria-current", "true");
      return element("li", {}, link);
    }),
  );
  if (focused) document.querySelector(`nav a[href="${focused}"]`)?.focus();
}

function showChat() {
  const telephone = telephones.get(chosen);
  find("chat").hidden = !telephone;
  if (!telephone) return;
  find("number").textContent = grouped(chosen);
  showTexts(telephone.texts);
  showSenders(telephone.texts);
}

function showTexts(texts) {
  const list = find("texts");
  if (list.dataset.number !== chosen) {
    list.replaceChildren();
    list.dataset.number = chosen;
  }
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 60;
  const shown = new Set([...list.children].map((each) => each.dataset.id));
  if (texts.every((text) => shown.has(text.id))) return;
  // Only what is new is added, so that a screen reader says that and nothing twice.
  texts.forEach((text, index) => {
    if (!shown.has(text.id)) list.insertBefore(bubble(text), list.children[index] ?? null);
  });
  if (atEnd || shown.size === 0) list.scrollTop = list.scrollHeight;
}

function bubble({ id, kind, sender, channel, text, at }) {
  const who = kind === "written" ? `to ${sender}` : sender;
  const way = channel === "sms" ? [] : [channel.replace("_", " ")];
  const item = element(
    "li",
    { className: kind },
    element("span", { className: "about", textContent: [who, ...way, clock.format(at)].join(" · ") }),
    element("div", { className: "text" }, ...linked(text)),
  );
  item.dataset.id = id;
  return item;
}

// A person can follow the links of a text: as a telephone does, without telling where they come from.
function linked(text) {
  return text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
    .map((piece, index) =>
      index % 2 ? element("a", { href: piece, textContent: piece, target: "_blank", rel: "noopener noreferrer" }) : piece,
    );
}

// Answers go to the sender of the latest message, on its channel, unless the person chooses another.
function showSenders(texts) {
  const received = texts.filter(({ kind }) => kind === "received");
  const ways = [...new Map(received.map(({ sender, channel }) => [`${channel} ${sender}`, sender]))].reverse();
  const select = find("sender");
  const latest = received.at(-1)?.id ?? "";
  const known = ways.map(([way]) => way).join();
  if (select.dataset.known !== known || select.dataset.latest !== latest) {
    select.replaceChildren(...ways.map(([way, sender]) => element("option", { value: way, textContent: sender })));
    if (received.length) select.value = `${received.at(-1).channel} ${received.at(-1).sender}`;
  }
  Object.assign(select.dataset, { known, latest });
  for (const control of find("answer").elements) control.disabled = ways.length === 0;
}

async function answer(text) {
  const way = find("sender").value;
  const space = way.indexOf(" ");
  const body = { number: chosen, channel: way.slice(0, space), recipient: way.slice(space + 1), text };
  find("problem").textContent = "";
  try {
    const response = await fetch("/phone/answers", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.ok) return true;
    find("problem").textContent = (await response.json()).message;
  } catch {
    find("problem").textContent = "The service can't be reached.";
  }
  return false;
}

function choose() {
  chosen = location.hash.slice(1);
  const telephone = telephones.get(chosen);
  if (telephone) telephone.unread = 0;
  show();
}

function state(text, live) {
  find("state").textContent = text;
  find("state").classList.toggle("live", live);
}

find("answer").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = find("text");
  if (field.value.trim() && (await answer(field.value))) field.value = "";
  field.focus();
});
document.querySelector(".quick").addEventListener("click", ({ target }) => {
  if (target.value && target.type === "button") answer(target.value);
});
window.addEventListener("hashchange", choose);

const events = new EventSource("/phone/events");
events.addEventListener("texts", ({ data }) => take(JSON.parse(data)));
events.addEventListener("open", () => state("Live", true));
events.addEventListener("error", () => state("Reconnecting…", false));
choose();
