// The script of a widget's page: sends the page's form and shows the answer as it is written. Without it the form works too.
(() => {
  const list = document.querySelector(".talk");
  const main = document.querySelector("main");
  const form = document.querySelector("form.ask");
  if (!list || !main || !form) return;
  const problem = document.querySelector(".problem");
  const starters = document.querySelector("form.starters");
  const close = document.querySelector("[data-close]");
  const send = form.querySelector("button");
  const { message: field, visitor, conversation } = form.elements;
  const storageKey = `widget ${location.pathname}`;
  let running;
  // Stop is this form's button too, and needs no message.
  form.noValidate = true;

  // A frame's storage may be turned off; the browser keeps it apart by the site around it.
  const keep = (keys) => {
    visitor.value = keys.visitor ?? "";
    conversation.value = keys.conversation ?? "";
    try {
      sessionStorage.setItem(storageKey, JSON.stringify(keys));
    } catch {}
  };
  const load = () => {
    try {
      return JSON.parse(sessionStorage.getItem(storageKey)) ?? {};
    } catch {
      return {};
    }
  };

  const say = (text) => {
    problem.textContent = text;
    problem.hidden = text === "";
  };

  // HTML comes from the server, which made it of Markdown; the page's policy runs none of it.
  const add = (role, html = "") => {
    const item = list.firstElementChild.cloneNode(true);
    item.className = role;
    item.firstChild.textContent = role === "user" ? "You:" : "Answer:";
    item.lastChild.innerHTML = html;
    list.append(item);
    return item;
  };

  const show = (item, html) => {
    const follows = main.scrollHeight - main.scrollTop - main.clientHeight < 80;
    item.lastChild.innerHTML = html;
    if (follows) main.scrollTop = main.scrollHeight;
  };

  const post = (accept, fields, signal) =>
    fetch(form.action, {
      method: "POST",
      credentials: "omit",
      cache: "no-store",
      headers: { Accept: accept },
      body: new URLSearchParams({ visitor: visitor.value, conversation: conversation.value, ...fields }),
      signal,
    });
  // Its elements; what styles or runs a page of its own stays out.
  const pageOf = async (response) => {
    const template = document.createElement("template");
    template.innerHTML = await response.text();
    return template.content;
  };

  async function* events(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const parts = text.split("\n\n");
      text = parts.pop();
      for (const part of parts) if (part.startsWith("data: ")) yield JSON.parse(part.slice(6));
    }
  }

  const setBusy = (controller) => {
    running = controller;
    send.textContent = controller ? "Stop" : "Send";
    list.parentElement.setAttribute("aria-busy", String(Boolean(controller)));
  };

  async function ask(text) {
    if (running || text.trim() === "") return;
    say("");
    const controller = new AbortController();
    setBusy(controller);
    const question = add("user", '<div dir="auto" class="text"></div>');
    question.lastChild.firstChild.textContent = text;
    const answer = add("assistant busy", "…");
    main.scrollTop = main.scrollHeight;
    let written = false;
    let ended = false;
    try {
      const response = await post("text/event-stream", { message: text }, controller.signal);
      if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
        question.remove();
        if (field.value === "") field.value = text;
        const refusal = (await pageOf(response)).querySelector(".problem");
        return say(refusal?.textContent || "The chat can't be reached. Try again later.");
      }
      starters?.remove();
      for await (const { type, html, problem: reason, ...keys } of events(response.body)) {
        if (type === "start") keep(keys);
        else if (html) {
          show(answer, html);
          written = true;
        }
        if (type !== "end") continue;
        ended = true;
        say(reason);
      }
      if (!ended) say("The connection was lost. Try again.");
    } catch {
      if (!controller.signal.aborted) say("The connection was lost. Try again.");
    } finally {
      answer.classList.remove("busy");
      if (!written) answer.remove();
      setBusy(undefined);
      field.focus({ preventScroll: true });
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (running) return running.abort();
    const { value } = field;
    field.value = "";
    field.focus();
    void ask(value);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!running) form.requestSubmit();
  });
  starters?.addEventListener("submit", (event) => {
    event.preventDefault();
    void ask(event.submitter.value);
  });
  document.querySelector("header a").addEventListener("click", () => keep({ visitor: visitor.value }));

  if (window.parent !== window) {
    const tell = (what) => window.parent.postMessage(`chat-widget-${what}`, "*");
    close.addEventListener("click", () => tell("close"));
    document.addEventListener("keydown", (event) => event.key === "Escape" && tell("close"));
    window.addEventListener("message", ({ source, data }) => {
      if (source !== window.parent || data !== "chat-widget-open") return;
      // Only the script around it can close it: a site may frame the page by itself.
      close.hidden = false;
      field.focus();
    });
    tell("ready");
  }

  // What was said before the page around it was left: the form without a message shows it again.
  if (conversation.value) keep({ visitor: visitor.value, conversation: conversation.value });
  else keep(load());
  if (conversation.value && list.children.length === 1)
    void post("text/html")
      .then(pageOf)
      .then((page) => {
        const said = [...page.querySelectorAll(".talk > li")].slice(1);
        if (list.children.length > 1 || said.length === 0) return;
        starters?.remove();
        list.append(...said);
        main.scrollTop = main.scrollHeight;
      })
      .catch(() => undefined);
})();
