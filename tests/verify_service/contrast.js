// Returns the contrast (WCAG 2) of every text that is visible in the element and around it, by text.
() => {
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) =>
    [r, g, b]
      .map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
      .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement ?? each.getRootNode().host) {
      const found = channels(getComputedStyle(each).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const ratios = {};
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      const text = [...element.childNodes].filter((each) => each.nodeType === 3).map((each) => each.textContent.trim()).join("");
      if (!text || !element.checkVisibility() || ["STYLE", "SCRIPT", "NOSCRIPT"].includes(element.tagName)) continue;
      const [one, other] = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))];
      ratios[text] = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    }
  };
  look(document.body);
  return ratios;
}
