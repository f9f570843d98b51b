/* <dovecote-verify>: a person proves a phone number. Fires `verified` with { result } when it is proven.

   <script src="https://verify.example.com/verify.js" defer></script>
   <dovecote-verify purpose="sign-up" lang="en"></dovecote-verify>

   Attributes: purpose, phone (fills the number in), lang, server (default: where this script came from).
   data-step says how far the person is: number, code or verified.
   Colours and shape: --dovecote-accent, --dovecote-on-accent, --dovecote-radius. Needs nothing else. */
"use strict";

(() => {
  const SCRIPT = document.currentScript?.src || location.href;

  const LABELS = {
    en: {
      number: "Phone number", hint: "With country code, for example +420 777 123 456", send: "Send code",
      code: "Code from the text message", sent: "We sent a code to", change: "Change number", verify: "Verify",
      again: "Send a new code", wait: "New code in", valid: "Valid for", resent: "A new code is on its way.",
      left: "Attempts left:", later: "Wait:", done: "Number verified", offline: "No connection. Check it and try again.",
      expired: "The code has expired. Ask for a new one.", empty: "Enter your phone number.",
      digits: "The code has six digits.",
    },
    cs: {
      number: "Telefonní číslo", hint: "S předvolbou země, například +420 777 123 456", send: "Poslat kód",
      code: "Kód ze zprávy", sent: "Kód jsme poslali na", change: "Změnit číslo", verify: "Ověřit",
      again: "Poslat nový kód", wait: "Nový kód za", valid: "Platí ještě", resent: "Nový kód je na cestě.",
      left: "Zbývá pokusů:", later: "Počkejte:", done: "Číslo je ověřeno", offline: "Není spojení. Zkontrolujte ho a zkuste to znovu.",
      expired: "Platnost kódu skončila. Vyžádejte si nový.", empty: "Zadejte telefonní číslo.",
      digits: "Kód má šest číslic.",
    },
    sk: {
      number: "Telefónne číslo", hint: "S predvoľbou krajiny, napríklad +421 903 123 456", send: "Poslať kód",
      code: "Kód zo správy", sent: "Kód sme poslali na", change: "Zmeniť číslo", verify: "Overiť",
      again: "Poslať nový kód", wait: "Nový kód o", valid: "Platí ešte", resent: "Nový kód je na ceste.",
      left: "Zostáva pokusov:", later: "Počkajte:", done: "Číslo je overené", offline: "Nie je spojenie. Skontrolujte ho a skúste to znova.",
      expired: "Platnosť kódu sa skončila. Vyžiadajte si nový.", empty: "Zadajte telefónne číslo.",
      digits: "Kód má šesť číslic.",
    },
    de: {
      number: "Telefonnummer", hint: "Mit Landesvorwahl, zum Beispiel +49 151 23456789", send: "Code senden",
      code: "Code aus der SMS", sent: "Wir haben einen Code gesendet an", change: "Nummer ändern", verify: "Bestätigen",
      again: "Neuen Code senden", wait: "Neuer Code in", valid: "Gültig noch", resent: "Ein neuer Code ist unterwegs.",
      left: "Verbleibende Versuche:", later: "Warten Sie:", done: "Nummer bestätigt", offline: "Keine Verbindung. Prüfen Sie sie und versuchen Sie es noch einmal.",
      expired: "Der Code ist abgelaufen. Fordern Sie einen neuen an.", empty: "Geben Sie Ihre Telefonnummer ein.",
      digits: "Der Code hat sechs Ziffern.",
    },
  };

  const STYLE = `
    :host {
      --accent: var(--dovecote-accent, #2457d6); --on-accent: var(--dovecote-on-accent, #fff);
      --radius: var(--dovecote-radius, .625rem);
      --ink: #18202c; --quiet: #566173; --field: #fff; --edge: #8b97a8; --bad: #b3261e; --good: #14713d;
      display: block; color: var(--ink); text-align: start;
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
    }
    @supports (color: light-dark(#000, #fff)) {
      :host {
        --accent: var(--dovecote-accent, light-dark(#2457d6, #8db2ff));
        --on-accent: var(--dovecote-on-accent, light-dark(#fff, #0c1a3a));
        --ink: light-dark(#18202c, #eef2f7); --quiet: light-dark(#566173, #a3afbf);
        --field: light-dark(#fff, #10161e); --edge: light-dark(#8b97a8, #66748a);
        --bad: light-dark(#b3261e, #ff9d94); --good: light-dark(#14713d, #6fdc9b);
      }
    }
    :host([hidden]), [hidden] { display: none !important; }
    * { box-sizing: border-box; }
    form, p { margin: 0; }
    label { display: block; margin-bottom: .375rem; font-weight: 600; }
    input, button { font: inherit; color: inherit; border-radius: var(--radius); }
    input {
      width: 100%; height: 3.25rem; padding: 0 .875rem; font-size: 1.125rem;
      background: var(--field); border: 1px solid var(--edge);
    }
    input::placeholder { color: var(--quiet); opacity: .8; }
    input.code { text-align: center; letter-spacing: .4em; text-indent: .4em; font-size: 1.5rem; font-weight: 600;
      font-variant-numeric: tabular-nums; }
    input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    input[aria-invalid=true] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
    .hint, .foot { color: var(--quiet); font-size: .875rem; }
    .hint { margin-top: .375rem; }
    .error { margin-top: .5rem; color: var(--bad); font-size: .9375rem; font-weight: 500; }
    .error:empty { display: none; }
    .go { width: 100%; min-height: 3.25rem; margin-top: 1.25rem; padding: .5rem 1rem; border: 1px solid transparent;
      background: var(--accent); color: var(--on-accent); font-weight: 600; font-size: 1.0625rem; cursor: pointer; }
    .go:hover { filter: brightness(1.08); }
    .go[aria-disabled=true] { opacity: .65; cursor: progress; }
    .link { min-height: 2.75rem; padding: 0; border: 0; background: none; color: var(--accent);
      text-decoration: underline; text-underline-offset: .2em; cursor: pointer; }
    .link:disabled { color: var(--quiet); text-decoration: none; cursor: default; }
    .to { margin-bottom: 1rem; }
    .to strong { white-space: nowrap; }
    .to .link { display: block; }
    .foot { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem;
      margin-top: .75rem; font-variant-numeric: tabular-nums; }
    .done { display: flex; align-items: center; gap: .875rem; font-size: 1.125rem; font-weight: 600; outline: none; }
    .done svg { width: 2.75rem; flex: none; color: var(--good); }
    .done small { display: block; color: var(--quiet); font-size: .9375rem; font-weight: 400; }
    .status { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  `;

  const SHEET = new CSSStyleSheet();
  SHEET.replaceSync(STYLE);

  // Built node by node: pages that allow no HTML from strings can use the element too.
  const node = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const tick = () => {
    const space = "http://www.w3.org/2000/svg";
    const image = document.createElementNS(space, "svg");
    const path = document.createElementNS(space, "path");
    image.setAttribute("viewBox", "0 0 24 24");
    image.setAttribute("aria-hidden", "true");
    path.setAttribute("fill", "currentColor");
    path.setAttribute("d", "M12 1a11 11 0 1 0 0 22 11 11 0 0 0 0-22Zm5.7 8.7-6.6 7a1.2 1.2 0 0 1-1.8 0l-3-3.2a1.2 1.2 0 0 1 1.8-1.6l2.1 2.2L16 8a1.2 1.2 0 0 1 1.7 1.7Z");
    image.append(path);
    return image;
  };

  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

  // Keyboards of some languages type their own digits.
  const digitsOf = (text) => text.replace(/[٠-٩۰-۹]/g, (each) => each.charCodeAt(0) & 15).replace(/\D/g, "");

  const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");

  class DovecoteVerify extends HTMLElement {
    #root = this.attachShadow({ mode: "open" });
    #status = node("p", { class: "status", role: "status" });
    #stage = node("div");
    #busy = false;
    #number = "";
    #key = "";
    #session = null;
    #timer = 0;
    #listening = null;

    connectedCallback() {
      this.#root.adoptedStyleSheets = [SHEET];
      this.#root.replaceChildren(this.#stage, this.#status);
      this.#number ||= this.getAttribute("phone") ?? "";
      this.#askNumber();
    }

    disconnectedCallback() {
      this.#stop();
    }

    get #language() {
      const wanted = this.closest("[lang]")?.lang || navigator.language || "en";
      const language = wanted.slice(0, 2).toLowerCase();
      return language in LABELS ? language : "en";
    }

    get #labels() {
      return LABELS[this.#language];
    }

    // Step 1: the number.
    #askNumber(complaint = "") {
      this.#stop();
      this.#session = null;
      const labels = this.#labels;
      const input = node("input", {
        id: "field", type: "tel", inputmode: "tel", autocomplete: "tel", name: "phone", maxlength: 40,
        required: "", "aria-describedby": "error hint",
      });
      input.value = this.#number;
      const hint = node("p", { id: "hint", class: "hint" }, labels.hint);
      const form = this.#form(labels.number, input, hint, labels.send);
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.#start(input);
      });
      this.#show(form);
      if (complaint) this.#complain(complaint);
    }

    async #start(input) {
      const number = input.value.trim();
      if (!number) return this.#complain(this.#labels.empty);
      // The same number sent again after a lost answer is the same start.
      if (number !== this.#number || !this.#key) this.#key = newKey();
      this.#number = number;
      const body = { phoneNumber: number, purpose: this.getAttribute("purpose") ?? "" };
      const answer = await this.#call("/sessions", body, { "Idempotency-Key": this.#key });
      if (!answer) return;
      if (answer.settled) this.#key = "";
      if (answer.problem) return this.#complain(answer.sentence);
      this.#take(answer.body);
      this.#askCode();
    }

    // Step 2: the code.
    #askCode() {
      const labels = this.#labels;
      const input = node("input", {
        id: "field", class: "code", type: "text", inputmode: "numeric", autocomplete: "one-time-code", name: "code",
        required: "", spellcheck: "false", "aria-describedby": "error",
      });
      input.addEventListener("input", () => {
        const digits = digitsOf(input.value).slice(0, this.#session.codeLength);
        if (input.value !== digits) input.value = digits;
      });
      const change = node("button", { type: "button", class: "link" }, labels.change);
      change.addEventListener("click", () => this.#askNumber());
      const to = node("p", { class: "to" }, `${labels.sent} `, node("strong", {}, this.#session.maskedNumber), change);
      const form = this.#form(labels.code, input, "", labels.verify);
      form.prepend(to);
      form.append(this.#foot());
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.#check(input);
      });
      this.#show(form);
      this.#say(`${labels.sent} ${this.#session.maskedNumber}`);
      this.#run();
      this.#listen(input, form);
    }

    #foot() {
      const again = node("button", { type: "button", class: "link", id: "again" });
      again.addEventListener("click", () => this.#resend());
      return node("div", { class: "foot" }, node("span", { id: "valid", role: "timer", "aria-live": "off" }), again);
    }

    async #check(input) {
      if (input.value.length !== this.#session.codeLength) return this.#complain(this.#labels.digits);
      const answer = await this.#call("/sessions/check", { session: this.#session.session, code: input.value });
      if (!answer) return;
      if (!answer.problem) return this.#finish(answer.body.result);
      if (["session-expired", "not-found", "too-many-attempts"].includes(answer.problem.code)) return this.#askNumber(answer.sentence);
      this.#complain(answer.sentence);
      if (answer.problem.code === "invalid-code") input.select();
    }

    async #resend() {
      const answer = await this.#call("/sessions/resend", { session: this.#session.session });
      if (!answer) return;
      if (answer.problem && ["session-expired", "not-found"].includes(answer.problem.code)) return this.#askNumber(answer.sentence);
      if (answer.problem) return this.#complain(answer.sentence);
      this.#take(answer.body);
      this.#complain("");
      this.#say(this.#labels.resent);
      this.#run();
      this.#field.focus();
    }

    // Step 3: verified.
    #finish(result) {
      this.#stop();
      const labels = this.#labels;
      const words = node("span", {}, labels.done, node("small", {}, this.#session.maskedNumber));
      const done = node("div", { class: "done", tabindex: "-1" }, tick(), words);
      this.#stage.replaceChildren(done);
      this.dataset.step = "verified";
      done.focus();
      this.#say(labels.done);
      this.dispatchEvent(new CustomEvent("verified", { detail: { result }, bubbles: true, composed: true }));
    }

    #take(session) {
      const now = Date.now();
      this.#session = {
        ...this.#session, ...session, ends: now + session.expiresIn * 1000, again: now + session.resendAfter * 1000,
      };
    }

    // Counts down what is left of the code, and what is to wait for another.
    #run() {
      clearInterval(this.#timer);
      const update = () => {
        const labels = this.#labels;
        const left = Math.ceil((this.#session.ends - Date.now()) / 1000);
        if (left <= 0) return this.#askNumber(labels.expired);
        const wait = Math.ceil((this.#session.again - Date.now()) / 1000);
        const again = this.#root.getElementById("again");
        this.#root.getElementById("valid").textContent = `${labels.valid} ${clock(left)}`;
        again.hidden = this.#session.resendsLeft < 1;
        again.disabled = wait > 0;
        again.textContent = wait > 0 ? `${labels.wait} ${clock(wait)}` : labels.again;
      };
      this.#timer = setInterval(update, 1000);
      update();
    }

    // Where the browser can read the message itself (WebOTP), it fills the code in.
    async #listen(input, form) {
      if (!("OTPCredential" in window)) return;
      this.#listening = new AbortController();
      try {
        const credential = await navigator.credentials.get({ otp: { transport: ["sms"] }, signal: this.#listening.signal });
        input.value = digitsOf(credential.code);
        form.requestSubmit();
      } catch { /* The person typed it, or didn't want this. */ }
    }

    #stop() {
      clearInterval(this.#timer);
      this.#listening?.abort();
      this.#listening = null;
    }

    get #field() {
      return this.#root.getElementById("field");
    }

    #form(label, input, hint, action) {
      return node(
        "form", { novalidate: "" }, node("label", { for: "field" }, label), input, hint,
        node("p", { id: "error", class: "error", role: "alert" }), node("button", { class: "go" }, action),
      );
    }

    #show(form) {
      this.dataset.step = this.#session ? "code" : "number";
      const hadFocus = this.#root.activeElement !== null || this.#stage.childElementCount > 0;
      this.#stage.replaceChildren(form);
      if (hadFocus) this.#field.focus();
    }

    #say(sentence) {
      this.#status.textContent = sentence;
    }

    #complain(sentence) {
      this.#root.getElementById("error").textContent = sentence;
      this.#field.setAttribute("aria-invalid", String(Boolean(sentence)));
      if (sentence) this.#field.focus();
    }

    #wait(busy) {
      this.#busy = busy;
      this.#root.querySelector(".go")?.setAttribute("aria-disabled", String(busy));
      this.#stage.setAttribute("aria-busy", String(busy));
    }

    // Resolves to { body } or { problem, sentence }; to nothing while another call is under way.
    async #call(path, body, headers = {}) {
      if (this.#busy) return null;
      this.#wait(true);
      try {
        return await this.#ask(path, body, headers);
      } catch {
        return { problem: { code: "offline" }, sentence: this.#labels.offline, settled: false };
      } finally {
        this.#wait(false);
      }
    }

    async #ask(path, body, headers) {
      const server = new URL(this.getAttribute("server") || SCRIPT, location.href).origin;
      // At home the binding is a cookie that no script sees; on another site browsers keep such cookies back.
      const isHome = server === location.origin;
      const binding = isHome ? {} : { "Dovecote-Binding": "header" };
      if (!isHome && this.#session?.secret) binding["Dovecote-Session-Secret"] = this.#session.secret;
      const response = await fetch(server + path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json", "Accept-Language": this.#language, ...binding, ...headers },
        credentials: isHome ? "same-origin" : "omit",
        referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout(30000),
      });
      const answer = await response.json();
      // After a 409 or a 5xx the same start may still come to something.
      const settled = response.status < 500 && response.status !== 409;
      return response.ok ? { body: answer, settled } : { problem: answer, sentence: this.#sentence(answer), settled };
    }

    #sentence({ detail, attemptsRemaining, retryAfter }) {
      const labels = this.#labels;
      if (attemptsRemaining !== undefined) return `${detail} ${labels.left} ${attemptsRemaining}.`;
      return retryAfter > 1 ? `${detail} ${labels.later} ${clock(retryAfter)}.` : detail;
    }
  }

  customElements.define("dovecote-verify", DovecoteVerify);
})();
