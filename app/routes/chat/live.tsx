import { redirect } from "@remix-run/node";
import escapeHtml from "escape-html";
import { renderToStaticMarkup } from "react-dom/server";
import type { Question } from "~/ai/tools/question.schema";
import { builtAddress, withBase } from "~/core/base-path";
import { renderMarkup } from "~/http/render-page.server";
import { screen } from "~/http/screen.server";
import { htmlStream } from "~/http/send-response.server";
import { toProblem } from "~/http/status.server";
import stylesheet from "~/styles.css?url";
import { themeOf } from "~/team/branding/branding.service.server";
import { BrandHead } from "~/team/branding/components/brand-head";
import { pageBrand } from "~/team/branding/page-brand.service.server";
import { RenderYields } from "~/ui/render-batch";
import { openQuestions, textOf } from "~/work/chat/answer-state.shared";
import { ApprovalsProvider } from "~/work/chat/components/conversation-provider";
import { LiveEnd, LivePage, LiveRemark, LiveStop } from "~/work/chat/components/live-page";
import { QuestionForm } from "~/work/chat/components/question-form";
import { followAnswer, hasEventsAfter, openConversation } from "~/work/chat/conversations.service.server";
import { listProposals } from "~/work/chat/memories/memories.service.server";
import { renderMessages } from "~/work/chat/renderings.service.server";
import { readAsker, readConversationPage } from "~/work/chat/screen.service.server";

const OPEN = '<p class="live-only wrap-anywhere whitespace-pre-wrap text-sm leading-6">';

/** Streams the answer as HTML without JavaScript. A resource route, since document routes are buffered. */
const { loader } = screen({
  access: "signed-in",
  load: async ({ actor, params: { conversationId = "" }, url, context }) => {
    const { conversation, renderings } = await readConversationPage(actor, conversationId);
    if (conversation.comparisonId) return redirect(`/compare/${conversation.comparisonId}`);
    const live = conversation.messages.at(-1);
    if (live?.status !== "streaming" || !hasEventsAfter(actor, conversation.id, conversation.lastEventId)) {
      return redirect(`/chat/${conversation.id}`);
    }
    const { appName, brandStyle, head } = pageBrand(url, context.cspNonce);
    const placeholder = `%${context.requestId}%`;
    const page = await renderMarkup((turns) => (
      <RenderYields.Provider value={turns}>
        <LivePage
          conversation={conversation}
          renderings={renderings}
          stylesheet={builtAddress(stylesheet)}
          theme={themeOf(actor)}
          brandStyle={brandStyle}
          head={<BrandHead {...head} />}
          appName={appName}
          asker={readAsker(actor)}
          placeholder={placeholder}
        />
      </RenderYields.Provider>
    ));
    const [before = "", after = ""] = page.split(placeholder);
    return htmlStream(context, (write, end) => {
      write(`${before}${renderToStaticMarkup(<LiveStop conversationId={conversation.id} />)}`);
      write(OPEN + escapeHtml(textOf(live.parts)));
      const remark = (text: string) => {
        const markup = renderToStaticMarkup(<LiveRemark>{text}</LiveRemark>);
        write(`</p><div class="live-only">${markup}</div>${OPEN}`);
      };
      const ask = (question: Question, tool: string) => {
        const markup = renderToStaticMarkup(
          <ApprovalsProvider value={{ action: `/chat/${conversation.id}` }}>
            <QuestionForm question={question} tool={tool} />
          </ApprovalsProvider>,
        );
        write(`</p><div class="live-only my-3">${markup}</div>${OPEN}`);
      };
      // Answered elsewhere, or too late.
      const close = (id: string) =>
        write(`<style nonce="${context.cspNonce}">[data-question="${id}"]{display:none}</style>`);
      const tools = new Map<string, string>();
      for (const part of live.parts) {
        if (part.type !== "tool") continue;
        tools.set(part.toolCallId, part.toolName);
        for (const question of openQuestions(part)) ask(question, part.toolName);
      }
      if (live.waiting) remark(live.waiting);
      const writeEnd = async () => {
        const whole = openConversation(actor, conversation.id);
        const answer = whole.messages.at(-1);
        const drawn = await renderMessages(answer ? [answer] : []);
        const markup = await renderMarkup((turns) => (
          <RenderYields.Provider value={turns}>
            <LiveEnd
              conversation={whole}
              answer={answer}
              rendering={answer && drawn[answer.id]}
              proposals={listProposals(actor, conversation.id)}
            />
          </RenderYields.Provider>
        ));
        // Hides the raw text by CSS, without JavaScript.
        write(`</p><style nonce="${context.cspNonce}">.live-only{display:none}</style>`);
        write(markup + after);
      };
      const breakOff = (why: string) => {
        write(
          `</p><p>${escapeHtml(why)} <a href="${withBase(`/chat/${conversation.id}`)}">Show the answer</a></p>${after}`,
        );
        end();
      };
      const finish = () =>
        void writeEnd().then(end, (error: unknown) => breakOff(toProblem(error, context.requestId).detail));
      const stop = followAnswer(actor, conversation.id, conversation.lastEventId, (event, interruption) => {
        if (interruption !== undefined) return breakOff(interruption);
        if (!event) return finish();
        const { chunk } = event;
        if (chunk.type === "text-delta") write(escapeHtml(chunk.delta));
        if (chunk.type === "tool-input-available") {
          tools.set(chunk.toolCallId, chunk.toolName);
          remark(`Calling ${chunk.toolName}…`);
        }
        if (chunk.type === "data-tool-question") ask(chunk.data, tools.get(chunk.id) ?? "a tool");
        if (chunk.type === "data-tool-answer") close(chunk.data.questionId);
        if (chunk.type === "data-waiting") remark(chunk.data.text);
      });
      // Ended while the page was rendered.
      if (!stop) finish();
      return stop ?? (() => {});
    });
  },
});

export { loader };
