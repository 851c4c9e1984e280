import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { renderToStaticMarkup } from "react-dom/server";
import { brandProperties } from "~/features/branding/branding.schema";
import { readBranding, themeOf } from "~/features/branding/branding.service.server";
import { textOf } from "~/features/chat/answer-state.schema";
import { LiveEnd, LivePage, LiveRemark, LiveStop } from "~/features/chat/components/live-page";
import { followAnswer, hasEventsAfter, readConversation } from "~/features/chat/conversations.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { escapeHtml } from "~/http/html.server";
import { textStream } from "~/http/sse.server";
import stylesheet from "~/styles.css?url";

const OPEN = '<p class="live-only wrap-anywhere whitespace-pre-wrap text-sm leading-6">';

/**
 * The answer as a page that grows while it is written, for browsers without script. A resource route, because a
 * document route's answer would be held back until it is whole.
 */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => {
    const conversation = readConversation(actor, params.conversationId ?? "");
    if (conversation.comparisonId) return redirect(`/compare/${conversation.comparisonId}`);
    const live = conversation.messages.at(-1);
    if (live?.status !== "streaming" || !hasEventsAfter(actor, conversation.id, conversation.lastEventId)) {
      return redirect(`/chat/${conversation.id}`);
    }
    const branding = readBranding();
    // Made for this answer: no text of the conversation can hold it.
    const hole = `%${context.requestId}%`;
    const page = renderToStaticMarkup(
      <LivePage
        conversation={conversation}
        stylesheet={stylesheet}
        theme={themeOf(actor)}
        look={brandProperties(branding)}
        appName={branding.appName}
        hole={hole}
      />,
    );
    const [before = "", after = ""] = page.split(hole);
    const body = textStream(context, (write, end) => {
      write(`<!DOCTYPE html>${before}${renderToStaticMarkup(<LiveStop conversationId={conversation.id} />)}`);
      write(OPEN + escapeHtml(textOf(live.parts)));
      const finish = () => {
        const whole = readConversation(actor, conversation.id);
        // The rendered answer takes the raw text's place; a style does it where no script can.
        write(`</p><style nonce="${context.cspNonce}">.live-only{display:none}</style>`);
        write(renderToStaticMarkup(<LiveEnd conversation={whole} answer={whole.messages.at(-1)} />));
        write(after);
        end();
      };
      const stop = followAnswer(actor, conversation.id, conversation.lastEventId, (event) => {
        if (!event) return finish();
        const { chunk } = event;
        if (chunk.type === "text-delta") write(escapeHtml(chunk.delta));
        if (chunk.type === "tool-input-available") {
          const remark = renderToStaticMarkup(<LiveRemark>Calling {chunk.toolName}…</LiveRemark>);
          write(`</p><div class="live-only">${remark}</div>${OPEN}`);
        }
      });
      return stop ?? (() => {});
    });
    return new Response(body, {
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-cache, no-transform",
        "X-Accel-Buffering": "no",
      },
    });
  });
}
