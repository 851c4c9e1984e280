// Puts a button for a chat on a page: <script src="https://console.example/widget.js" data-widget="TOKEN" async></script>
(() => {
  const script = document.currentScript;
  const token = script?.dataset.widget;
  if (!token || document.getElementById("chat-widget")) return;
  const base = script.src.replace(/\/widget\.js(?:\?.*)?$/, "");
  const title = script.dataset.label || "Chat";
  const color = /^#[\da-f]{6}$/i.test(script.dataset.color ?? "") ? script.dataset.color : "#1f2937";
  const channel = (at) => Number.parseInt(color.slice(at, at + 2), 16);
  const ink = channel(1) * 0.299 + channel(3) * 0.587 + channel(5) * 0.114 > 150 ? "#000" : "#fff";

  const host = document.createElement("div");
  host.id = "chat-widget";
  // The page's styles stay out, and ours in.
  const root = host.attachShadow({ mode: "open" });
  // Set by script, so that a policy of the page for styles can stay strict.
  const style = (element, values) => Object.assign(element.style, values);
  style(host, {
    position: "fixed",
    right: "16px",
    bottom: "16px",
    zIndex: "2147483000",
    font: "16px system-ui, sans-serif",
  });
  const button = document.createElement("button");
  button.type = "button";
  style(button, {
    position: "relative",
    zIndex: "1",
    minHeight: "48px",
    padding: "0 20px",
    border: "1px solid transparent",
    borderRadius: "24px",
    background: color,
    color: ink,
    font: "inherit",
    fontWeight: "600",
    cursor: "pointer",
    boxShadow: "0 4px 16px rgb(0 0 0 / 0.25)",
  });
  root.append(button);
  let frame;
  let isOpen = false;
  let isReady = false;

  const draw = () => {
    button.textContent = isOpen ? "Close" : title;
    button.setAttribute("aria-expanded", String(isOpen));
    // The chat covers it with a button of its own, unless it couldn't be loaded.
    button.style.visibility = isOpen && isReady ? "hidden" : "visible";
    if (!frame) return;
    const isSmall = window.innerWidth < 480 || window.innerHeight < 480;
    style(frame, {
      position: "fixed",
      right: isSmall ? "0" : "16px",
      bottom: isSmall ? "0" : "16px",
      width: isSmall ? "100%" : "384px",
      height: isSmall ? "100%" : "min(640px, calc(100vh - 32px))",
      border: isSmall ? "0" : "1px solid rgb(128 128 128 / 0.4)",
      borderRadius: isSmall ? "0" : "16px",
      boxShadow: "0 8px 32px rgb(0 0 0 / 0.3)",
      background: "Canvas",
      display: isOpen ? "block" : "none",
    });
  };

  const toggle = (open) => {
    isOpen = open;
    if (!frame) {
      frame = document.createElement("iframe");
      frame.title = title;
      frame.src = `${base}/w/${encodeURIComponent(token)}`;
      frame.referrerPolicy = "strict-origin";
      root.append(frame);
    }
    draw();
    if (!open) return button.focus();
    if (!isReady) return;
    frame.focus();
    frame.contentWindow.postMessage("chat-widget-open", "*");
  };

  button.addEventListener("click", () => toggle(!isOpen));
  window.addEventListener("resize", draw);
  window.addEventListener("message", ({ source, data }) => {
    if (!frame || source !== frame.contentWindow) return;
    if (data === "chat-widget-close") toggle(false);
    if (data !== "chat-widget-ready") return;
    isReady = true;
    if (isOpen) toggle(true);
  });
  draw();
  const add = () => document.body.append(host);
  if (document.body) add();
  else document.addEventListener("DOMContentLoaded", add);
})();
