import escapeHtml from "escape-html";
import { withBase } from "~/core/base-path";
import { parseWellFormed, toDisplayText } from "~/core/well-formed";
import { readBranding } from "~/team/branding/branding.service.server";
import { contrastOf } from "~/team/branding/look.shared";
import { linkTarget } from "~/work/chat/markdown/link-target.shared";
import type { Block, Inline, RenderedMessage } from "~/work/chat/markdown/tree.shared";
import { renderMessages } from "~/work/chat/renderings.service.server";
import type { OpenWidget } from "./visitors.service.server";
import type { VisitorMessage } from "./widgets.schema";
import { sourceText } from "./widgets.shared";

function inlineHtml(nodes: readonly Inline[], own: string): string {
  const htmlOf = (node: Inline): string => {
    if (typeof node === "string") return escapeHtml(node);
    switch (node.t) {
      case "strong":
      case "em":
      case "del":
        return `<${node.t}>${inlineHtml(node.c, own)}</${node.t}>`;
      case "code":
      case "math":
        return `<code>${escapeHtml(node.v)}</code>`;
      case "br":
        return "<br>";
      case "image":
        return escapeHtml(node.label);
      case "link": {
        const target = linkTarget(node.href);
        const label = inlineHtml(node.c, own);
        // Nothing leads a visitor into the console.
        if (target?.kind !== "outside" || new URL(target.href).origin === own) return label;
        return `<a href="${escapeHtml(target.href)}" target="_blank" rel="noopener noreferrer nofollow">${label}</a>`;
      }
    }
  };
  return nodes.map(htmlOf).join("");
}

/** Bounded, as the tree of a text is. @param text what `plain` blocks refer to */
function blockHtml(block: Block, text: string, own: string): string {
  const inside = (nodes: readonly Inline[]) => inlineHtml(nodes, own);
  const all = (blocks: readonly Block[]) => blocks.map((one) => blockHtml(one, text, own)).join("");
  switch (block.t) {
    case "p":
      return `<p>${inside(block.c)}</p>`;
    case "line":
      return inside(block.c);
    // The page has headings of its own.
    case "heading":
      return `<p><strong>${inside(block.c)}</strong></p>`;
    case "code":
      return `<pre tabindex="0"><code>${escapeHtml(block.v)}</code></pre>`;
    case "quote":
      return `<blockquote>${all(block.c)}</blockquote>`;
    case "list": {
      const items = block.items.map((item) => `<li>${all(item)}</li>`).join("");
      return block.start === null ? `<ul>${items}</ul>` : `<ol start="${Number(block.start)}">${items}</ol>`;
    }
    case "table": {
      const row = (cells: readonly Inline[][], tag: "th" | "td") =>
        `<tr>${cells.map((cell) => `<${tag}>${inside(cell)}</${tag}>`).join("")}</tr>`;
      const rows = block.rows.map((cells) => row(cells, "td")).join("");
      return `<div class="wide" tabindex="0"><table><thead>${row(block.head, "th")}</thead><tbody>${rows}</tbody></table></div>`;
    }
    case "hr":
      return "<hr>";
    case "plain":
      return `<p class="plain">${escapeHtml(text.slice(block.from, block.to))}</p>`;
  }
}

type Shown = Pick<VisitorMessage, "content" | "sources">;

/**
 * Markdown as HTML that runs nothing, loads nothing and leads nowhere into the console; parsed in a thread.
 * @param own the console's origin
 */
export async function answerHtml({ content, sources }: Shown, own: string): Promise<string> {
  const part = { type: "text" as const, id: "0", text: content };
  const message = { id: "answer", role: "assistant" as const, status: "streaming" as const, parts: [part] };
  const { answer = "" } = await renderMessages([message]);
  const { parts } = parseWellFormed(answer) as RenderedMessage;
  const text = toDisplayText(content);
  const blocks = parts.flatMap((rendered) => rendered?.blocks ?? []);
  const cited = sources.map((source) => `<li>${escapeHtml(sourceText(source))}</li>`).join("");
  return (
    blocks.map((block) => blockHtml(block, text, own)).join("") +
    (cited && `<p class="label">Sources</p><ol class="sources">${cited}</ol>`)
  );
}

export const questionHtml = (text: string): string => `<p class="plain">${escapeHtml(text)}</p>`;

const messageHtml = (role: VisitorMessage["role"], html: string): string =>
  `<li class="${role}"><span class="hidden">${role === "user" ? "You" : "Answer"}:</span><div>${html}</div></li>`;

export interface PageState {
  visitor?: string;
  conversation?: string;
  /** With their HTML. */
  messages?: readonly { role: VisitorMessage["role"]; html: string }[];
  problem?: string | undefined;
  /** What was typed, after a refusal. */
  typed?: string;
}

const titleOf = (name: string) => escapeHtml(`${name} · ${readBranding().appName}`);

/** A color with which white or black text can be read. */
function inkOn(color: string): string {
  return contrastOf(color, "#ffffff") >= 4.5 ? "#ffffff" : "#000000";
}

const STYLE = `
:root{color-scheme:light dark;--page:#fff;--ink:#18181b;--muted:#5b5b66;--line:#dcdce2;--soft:#f3f3f6;--link:#1d4ed8}
@media(prefers-color-scheme:dark){:root{--page:#141417;--ink:#f4f4f5;--muted:#a6a6b2;--line:#36363e;--soft:#232329;--link:#93b4ff}}
*{box-sizing:border-box}html,body{height:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
.chat{display:flex;flex-direction:column;height:100%;max-width:48rem;margin:0 auto}
header{display:flex;align-items:center;gap:.5rem;padding:.5rem 1rem;border-bottom:1px solid var(--line);min-height:3.25rem}
h1{flex:1;min-width:0;margin:0;font-size:1rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
main{flex:1;overflow-y:auto;padding:1rem;overflow-wrap:anywhere}
ol.talk{list-style:none;margin:0;padding:0;display:flex;flex-direction:column;gap:.75rem}
.talk>li{max-width:88%}.talk>li.user{align-self:flex-end}
.talk>li>div{padding:.5rem .75rem;border-radius:.75rem;background:var(--soft)}
.talk>li.user>div{background:var(--brand);color:var(--on-brand)}
.talk>li.failed>div{background:none;border:1px solid var(--line)}
p{margin:.25rem 0}.plain{white-space:pre-wrap}ul,ol{margin:.25rem 0;padding-left:1.5rem}
pre,.wide{overflow-x:auto}pre{padding:.5rem;background:var(--page);border-radius:.375rem}code{font-size:.9em}
table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:left}
blockquote{margin:.25rem 0;padding-left:.75rem;border-left:3px solid var(--line)}
a{color:var(--link)}.label,.note,.sources{color:var(--muted);font-size:.8125rem}.label{margin-top:.5rem;font-weight:600}
.starters{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0 0}
button,.button{min-height:2.75rem;padding:.5rem 1rem;border:1px solid var(--line);border-radius:.625rem;background:none;color:inherit;font:inherit;text-align:left;text-decoration:none;cursor:pointer}
button:hover,.button:hover{background:var(--soft)}
button.send{background:var(--brand);color:var(--on-brand);border-color:transparent}
button[disabled]{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
form.ask{display:flex;gap:.5rem;align-items:flex-end;padding:.75rem 1rem .25rem;border-top:1px solid var(--line)}
textarea{flex:1;min-width:0;min-height:2.75rem;max-height:9rem;padding:.55rem .75rem;border:1px solid var(--muted);border-radius:.625rem;background:var(--page);color:inherit;font:inherit;resize:vertical}
.note{margin:0;padding:0 1rem .5rem}.problem{margin:0;padding:.5rem 1rem 0;font-weight:600}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(prefers-reduced-motion:no-preference){.busy>div{animation:busy 1.2s ease-in-out infinite alternate}@keyframes busy{to{opacity:.6}}}
@media(forced-colors:active){.talk>li>div{border:1px solid}}`;

/**
 * What the page may do: its own script and style, calls and forms of its own address, and frames of the allowed sites.
 * @param origin the console's address as the visitor sees it
 */
export function visitorPolicy({ row, settings }: OpenWidget, origin: string, nonce: string): string {
  const own = `${origin}/w/${row.token}`;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `connect-src ${own}/`,
    `form-action ${own}`,
    "base-uri 'none'",
    `frame-ancestors ${settings.origins.length > 0 ? settings.origins.join(" ") : "'none'"}`,
  ].join(";");
}

/** The chat as a page that works as a form, and streams with its script. */
export function visitorPage(widget: OpenWidget, state: PageState, nonce: string): string {
  const { row, settings } = widget;
  const brand = settings.color || readBranding().primaryColor;
  const { visitor = "", conversation = "", messages = [], problem, typed = "" } = state;
  const at = withBase(`/w/${row.token}`);
  const name = escapeHtml(row.name);
  const talk = [{ role: "assistant" as const, html: questionHtml(settings.greeting) }, ...messages];
  const starters = messages.length > 0 ? [] : settings.starters;
  const days = settings.retentionDays === 1 ? "1 day" : `${settings.retentionDays} days`;
  const keys = `<input type="hidden" name="visitor" value="${escapeHtml(visitor)}"><input type="hidden" name="conversation" value="${escapeHtml(conversation)}">`;
  return `<!doctype html><html lang="en" data-plain><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${titleOf(row.name)}</title>
<style nonce="${nonce}">:root{--brand:${brand};--on-brand:${inkOn(brand)}}${STYLE}</style></head>
<body><div class="chat" data-at="${at}">
<header><h1>${name}</h1><a class="button" href="${at}">New chat</a><button type="button" data-close hidden>Close</button></header>
<main id="talk" tabindex="-1"><div role="log" aria-label="Conversation"><ol class="talk">${talk.map(({ role, html }) => messageHtml(role, html)).join("")}</ol></div>
${starters.length > 0 ? `<form method="post" action="${at}" class="starters" data-starters>${keys}${starters.map((text) => `<button name="message" value="${escapeHtml(text)}">${escapeHtml(text)}</button>`).join("")}</form>` : ""}
</main>
<p class="problem" role="alert"${problem ? "" : " hidden"}>${escapeHtml(problem ?? "")}</p>
<form method="post" action="${at}" class="ask">${keys}
<label class="hidden" for="message">Your message</label>
<textarea id="message" name="message" rows="1" required maxlength="${settings.maxLength}" placeholder="Write a message">${escapeHtml(typed)}</textarea>
<button class="send">Send</button></form>
<p class="note">Answers come from a language model and can be wrong. Messages are kept for ${days}.</p>
</div><script nonce="${nonce}" src="${withBase("/widget-frame.js")}"></script></body></html>`;
}

/** Of a widget that isn't open. */
export const closedPage = (message: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${titleOf("Chat")}</title><main><h1>Chat</h1><p>${escapeHtml(message)}</p></main></html>`;
