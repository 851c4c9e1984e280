// The script of a widget's page. Without it the page works as a form.
(() => {
  const chat = document.querySelector(".chat");
  const list = document.querySelector(".talk");
  const main = document.querySelector("main");
  const form = document.querySelector("form.ask");
  const problem = document.querySelector(".problem");
  const starters = document.querySelector("[data-starters]");
  const close = document.querySelector("[data-close]");
  if (!chat || !list || !main || !form || !problem) return;
  const at = chat.dataset.at;
  const field = form.elements.message;
  const send = form.querySelector("button");
  const storageKey = `widget ${at}`;
  let running;

  // A frame's storage may be turned off; the browser keeps it apart by the site around it.
  const load = () => {
    try {
      return JSON.parse(sessionStorage.getItem(storageKey)) ?? {};
    } catch {
      return {};
    }
  };
  let keys = load();
  const keep = (next) => {
    keys = next;
    try {
      sessionStorage.setItem(storageKey, JSON.stringify(next));
    } catch {}
  };

  const say = (text) => {
    problem.textContent = text;
    problem.hidden = text === "";
  };

  const add = (role) => {
    const item = document.createElement("li");
    item.className = role;
    const label = document.createElement("span");
    label.className = "hidden";
    label.textContent = role === "user" ? "You:" : "Answer:";
    const body = document.createElement("div");
    item.append(label, body);
    list.append(item);
    return item;
  };

  // HTML comes from the server, which made it of Markdown; the page's policy runs none of it.
  const show = (item, html) => {
    const follows = main.scrollHeight - main.scrollTop - main.clientHeight < 80;
    item.lastChild.innerHTML = html;
    if (follows) main.scrollTop = main.scrollHeight;
  };

  const call = (path, options) =>
    fetch(`${at}/${path}`, { credentials: "omit", cache: "no-store", ...options });

  const reasonOf = async (response) => {
    const { detail } = await response.json().catch(() => ({}));
    return detail ?? "The chat can't be reached. Try again later.";
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

  async function ask(message) {
    if (running || message.trim() === "") return;
    say("");
    starters?.remove();
    const controller = new AbortController();
    setBusy(controller);
    const question = add("user");
    question.lastChild.textContent = message;
    question.lastChild.className = "plain";
    const answer = add("assistant");
    answer.classList.add("busy");
    answer.lastChild.textContent = "…";
    main.scrollTop = main.scrollHeight;
    let ended = false;
    try {
      const response = await call("messages", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ message, ...keys }),
        signal: controller.signal,
      });
      if (!response.ok) {
        answer.remove();
        question.remove();
        if (field.value === "") field.value = message;
        say(await reasonOf(response));
        return;
      }
      for await (const event of events(response.body)) {
        if (event.type === "start") keep({ visitor: event.visitor, conversation: event.conversation });
        else show(answer, event.html);
        if (event.type !== "end") continue;
        ended = true;
        if (event.problem) say(event.problem);
      }
      if (!ended) say("The connection was lost. Try again.");
    } catch {
      if (!controller.signal.aborted) say("The connection was lost. Try again.");
    } finally {
      answer.classList.remove("busy");
      if (answer.isConnected && ["", "…"].includes(answer.lastChild.textContent)) answer.remove();
      setBusy(undefined);
      field.focus({ preventScroll: true });
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (running) return running.abort();
    const { value } = field;
    if (value.trim() === "") return field.focus();
    field.value = "";
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
  document.querySelector("a.button").addEventListener("click", () => keep({ visitor: keys.visitor }));

  if (window.parent !== window) {
    const leave = () => window.parent.postMessage("chat-widget-close", "*");
    close.hidden = false;
    close.addEventListener("click", leave);
    document.addEventListener("keydown", (event) => event.key === "Escape" && leave());
    window.addEventListener("message", ({ source, data }) => {
      if (source === window.parent && data === "chat-widget-open") field.focus();
    });
  }

  // What was said before the page around it was left; a form's answer has its own.
  const given = form.elements.conversation.value;
  if (given) keep({ visitor: form.elements.visitor.value, conversation: given });
  else if (keys.conversation)
    void call(`conversations/${encodeURIComponent(keys.conversation)}`, {
      headers: { "X-Visitor": keys.visitor },
    })
      .then((response) => (response.ok ? response.json() : []))
      .then((messages) => {
        if (messages.length > 0) starters?.remove();
        for (const { role, html } of messages) show(add(role), html);
      })
      .catch(() => undefined);
})();
