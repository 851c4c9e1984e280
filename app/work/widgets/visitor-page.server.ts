import escapeHtml from "escape-html";
import { withBase } from "~/core/base-path";
import { readBranding } from "~/team/branding/branding.service.server";
import { contrastOf } from "~/team/branding/look.shared";
import { formatForVisitors } from "~/work/chat/markdown/visitors.service.server";
import type { OpenWidget } from "./visitors.service.server";
import type { VisitorMessage } from "./widgets.schema";
import { sourceText } from "./widgets.shared";

const textHtml = (text: string): string => `<div dir="auto" class="text">${escapeHtml(text)}</div>`;

const sourcesHtml = ({ sources }: Pick<VisitorMessage, "sources">): string => {
  const items = sources.map((source) => `<li dir="auto">${escapeHtml(sourceText(source))}</li>`).join("");
  return items && `<p class="label">Sources</p><ol class="sources">${items}</ol>`;
};

/**
 * Answers as HTML that runs nothing, loads nothing and leads nowhere into the console.
 * @param own the console's origin
 */
export async function answersHtml(
  answers: readonly Pick<VisitorMessage, "content" | "sources">[],
  own: string,
): Promise<string[]> {
  const formatted = await formatForVisitors(
    answers.map(({ content }) => content),
    own,
  );
  return answers.map((answer, at) => (formatted[at] ?? "") + sourcesHtml(answer));
}

const itemHtml = (role: VisitorMessage["role"], html: string, note = ""): string =>
  `<li class="${role}"><span class="hidden">${role === "user" ? "You" : "Answer"}:</span><div>${html}${note && `<p class="label">${note}</p>`}</div></li>`;

const NOTES: Record<VisitorMessage["status"], string> = {
  complete: "",
  stopped: "Stopped",
  failed: "Not finished",
};

/** @param own the console's origin */
export async function conversationHtml(messages: readonly VisitorMessage[], own: string): Promise<string> {
  const answers = messages.filter(({ role }) => role === "assistant");
  const html = new Map((await answersHtml(answers, own)).map((text, at) => [answers[at]?.id, text]));
  const items = messages.map(({ id, role, content, status }) =>
    itemHtml(role, role === "user" ? textHtml(content) : (html.get(id) ?? ""), NOTES[status]),
  );
  return items.join("");
}

export interface PageState {
  visitor?: string | undefined;
  conversation?: string | undefined;
  /** What was said, as HTML. */
  said?: string;
  problem?: string | undefined;
  /** What was typed, after a refusal. */
  typed?: string;
}

/** A color with which white or black text can be read. */
const inkOn = (color: string): string => (contrastOf(color, "#ffffff") >= 4.5 ? "#ffffff" : "#000000");

const STYLE = `
:root{color-scheme:light dark;--page:#fff;--ink:#18181b;--muted:#5b5b66;--line:#dcdce2;--soft:#f3f3f6;--link:#1d4ed8}
@media(prefers-color-scheme:dark){:root{--page:#141417;--ink:#f4f4f5;--muted:#a6a6b2;--line:#36363e;--soft:#232329;--link:#93b4ff}}
*{box-sizing:border-box}html,body{height:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
[hidden]{display:none!important}.chat{display:flex;flex-direction:column;height:100%;max-width:48rem;margin:0 auto}
header{display:flex;align-items:center;gap:.5rem;padding:.5rem 1rem;border-block-end:1px solid var(--line);min-height:3.25rem}
h1{flex:1;min-width:0;margin:0;font-size:1rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
main{flex:1;overflow-y:auto;padding:1rem;overflow-wrap:anywhere}
.talk{list-style:none;margin:0;padding:0;display:flex;flex-direction:column;gap:.75rem}
.talk>li{max-width:88%;align-self:flex-start}.talk>.user{align-self:flex-end}
.talk>li>div{padding:.5rem .75rem;border-radius:.75rem;background:var(--soft)}
.talk>.user>div{background:var(--brand);color:var(--on-brand)}
p{margin:.25rem 0}.text{white-space:pre-wrap}ul,ol{margin:.25rem 0;padding-inline-start:1.5rem}
.talk :is(h3,h4,h5,h6){margin:.5rem 0 .25rem;font-size:1rem}
pre,.table,math[display]{overflow-x:auto}pre{padding:.5rem;background:var(--page);border-radius:.375rem}code{font-size:.9em}
table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:start}
blockquote{margin:.25rem 0;padding-inline-start:.75rem;border-inline-start:3px solid var(--line)}
a{color:var(--link)}.label,.note,.sources{color:var(--muted);font-size:.8125rem}.label{margin-block-start:.5rem;font-weight:600}
.starters{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0 0}
button,.button{display:inline-flex;align-items:center;min-height:2.75rem;padding:.5rem 1rem;border:1px solid var(--line);border-radius:.625rem;background:none;color:inherit;font:inherit;text-align:start;text-decoration:none;cursor:pointer}
button:hover,.button:hover{background:var(--soft)}
.send,.send:hover{background:var(--brand);color:var(--on-brand);border-color:transparent}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.ask{display:flex;gap:.5rem;align-items:flex-end;padding:.75rem 1rem .25rem;border-block-start:1px solid var(--line)}
textarea{flex:1;min-width:0;min-height:2.75rem;max-height:9rem;padding:.5rem .75rem;border:1px solid var(--muted);border-radius:.625rem;background:var(--page);color:inherit;font:inherit;font-size:1rem;resize:none;field-sizing:content}
.note{margin:0;padding:0 1rem .5rem}.problem{margin:0;font-weight:600}.chat>.problem{padding:.5rem 1rem 0}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(prefers-reduced-motion:no-preference){.busy>div{animation:busy 1.2s ease-in-out infinite alternate}@keyframes busy{to{opacity:.6}}}
@media(forced-colors:active){.talk>li>div{border:1px solid}}`;

/** @param css before the page's own @param body within it */
function documentHtml(name: string, css: string, body: string, nonce: string): string {
  const title = escapeHtml(`${name} · ${readBranding().appName}`);
  // Links leave the frame: other pages may not be shown in one.
  return `<!doctype html><html lang="en" data-plain><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><base target="_blank"><title>${title}</title>
<style nonce="${nonce}">${css}${STYLE}</style></head>
<body><div class="chat">${body}</div></body></html>`;
}

/**
 * What the page may do: its own script and style, forms of its own address, and frames of the allowed sites.
 * @param origin the console's address as the visitor sees it
 */
export function visitorPolicy({ row, settings }: OpenWidget, origin: string, nonce: string): string {
  const own = `${origin}/w/${row.token}`;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    // How the cells of a table are aligned.
    "style-src-attr 'unsafe-inline'",
    `connect-src ${own}`,
    `form-action ${own}`,
    "base-uri 'none'",
    `frame-ancestors ${settings.origins.length > 0 ? settings.origins.join(" ") : "'none'"}`,
  ].join(";");
}

/** The chat as a page that works as a form, and streams with its script. */
export function visitorPage({ row, settings }: OpenWidget, state: PageState, nonce: string): string {
  const { visitor = "", conversation = "", said = "", problem = "", typed = "" } = state;
  const brand = settings.color || readBranding().primaryColor;
  const at = withBase(`/w/${row.token}`);
  const form = `<form method="post" action="${at}" target="_self"`;
  const starters = settings.starters.map(
    (text) => `<button dir="auto" name="message" value="${escapeHtml(text)}">${escapeHtml(text)}</button>`,
  );
  const days = settings.retentionDays === 1 ? "1 day" : `${settings.retentionDays} days`;
  const body = `<header><h1 dir="auto">${escapeHtml(row.name)}</h1><a class="button" href="${at}" target="_self">New chat</a><button type="button" data-close hidden>Close</button></header>
<main tabindex="-1"><div role="log" aria-label="Conversation"><ol class="talk">${itemHtml("assistant", textHtml(settings.greeting))}${said}</ol></div>
${said === "" && starters.length > 0 ? `${form} class="starters">${starters.join("")}</form>` : ""}
</main>
<p class="problem" role="alert"${problem ? "" : " hidden"}>${escapeHtml(problem)}</p>
${form} class="ask"><input type="hidden" name="visitor" value="${escapeHtml(visitor)}"><input type="hidden" name="conversation" value="${escapeHtml(conversation)}">
<label class="hidden" for="message">Your message</label>
<textarea dir="auto" id="message" name="message" rows="1" required maxlength="${settings.maxLength}" placeholder="Write a message">${escapeHtml(typed)}</textarea>
<button class="send">Send</button></form>
<p class="note">Answers come from a language model and can be wrong. Messages are kept for ${days}.</p>
<script nonce="${nonce}" src="${withBase("/widget-frame.js")}"></script>`;
  return documentHtml(row.name, `:root{--brand:${brand};--on-brand:${inkOn(brand)}}`, body, nonce);
}

/** Of a widget that isn't open, and of a refusal that leaves nothing to show. */
export const closedPage = (message: string, nonce: string): string =>
  documentHtml("Chat", "", `<main><h1>Chat</h1><p class="problem">${escapeHtml(message)}</p></main>`, nonce);
