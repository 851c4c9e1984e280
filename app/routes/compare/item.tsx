import {
  Form,
  Link,
  type MetaFunction,
  useLoaderData,
  useRevalidator,
  useSearchParams,
} from "@remix-run/react";
import { Copy, Plus, Square, Trash2 } from "lucide-react";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { intent, screen } from "~/http/screen.server";
import { Button, LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { CopyButton } from "~/ui/copy-button";
import { Notice } from "~/ui/notice";
import { appNameOf, PageHeader } from "~/ui/page-header";
import { ScrollRegion } from "~/ui/scroll-region";
import { RelativeTime } from "~/ui/time";
import { stopAnswer, titleOf } from "~/work/chat/chat.service.server";
import { ApprovalsProvider } from "~/work/chat/components/conversation-provider";
import { MessageView } from "~/work/chat/components/message-view";
import { renderMessages } from "~/work/chat/renderings.service.server";
import { ComparisonQuery } from "~/work/comparisons/comparisons.schema";
import {
  continueInChat,
  deleteComparison,
  modelNames,
  readComparison,
  stopComparison,
} from "~/work/comparisons/comparisons.service.server";
import { ComparisonColumns } from "~/work/comparisons/components/comparison-columns";
import { FiguresTable } from "~/work/comparisons/components/figures-table";
import { useComparison } from "~/work/comparisons/components/use-comparison";
import { explainDifferences } from "~/work/comparisons/differences.service.server";

const { loader, action } = screen({
  access: "signed-in",
  query: ComparisonQuery,
  load: async ({ actor, params: { comparisonId = "" }, query: { against } }) => {
    const comparison = readComparison(actor, comparisonId);
    const title = toDisplayText(titleOf(comparison.prompt));
    return {
      comparison,
      title,
      names: modelNames(actor),
      against,
      ...(against === undefined
        ? { differences: [] }
        : await explainDifferences(actor, comparison.id, against)),
      renderings: await renderMessages(comparison.answers.map(({ answer }) => answer)),
    };
  },
  actions: {
    stop: intent({
      access: "chat.use",
      run: ({ actor, params: { comparisonId = "" } }) => stopComparison(actor, comparisonId),
    }),
    "stop-one": intent({
      access: "chat.use",
      target: "conversationId",
      run: ({ actor, target }) => stopAnswer(actor, target),
    }),
    continue: intent({
      access: "chat.use",
      target: "conversationId",
      run: ({ actor, target, params: { comparisonId = "" } }) => continueInChat(actor, comparisonId, target),
      done: (conversationId) => ({ to: `/chat/${conversationId}` }),
      failed: { toast: "Couldn't continue in chat" },
    }),
    delete: intent({
      access: "chat.use",
      run: ({ actor, params: { comparisonId = "" } }) => deleteComparison(actor, comparisonId),
      done: { to: "/compare", toast: "Comparison deleted" },
      failed: { dialog: "Couldn't delete the comparison" },
      back: () => "/compare",
    }),
  },
});

export { action, loader };

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => [
  { title: `${data ? `${data.title} · ` : ""}Compare · ${appNameOf(matches)}` },
];

export default function ComparisonPage() {
  const { comparison, title, names, renderings, against, differences, problem } =
    useLoaderData<typeof loader>();
  const { revalidate } = useRevalidator();
  const answers = useComparison(comparison, revalidate);
  const [search] = useSearchParams();
  const here = `/compare/${comparison.id}`;
  const base = answers.find(({ conversationId }) => conversationId === against);
  const running = answers.some(({ answer }) => answer.status === "streaming");
  return (
    <>
      <PageHeader
        title={title}
        subtitle={
          <>
            Comparison of {answers.length} models, <RelativeTime at={comparison.createdAt} />
          </>
        }
        actions={
          <>
            {running && (
              <Form method="post" preventScrollReset>
                <Button name="intent" value="stop" icon={<Square />}>
                  Stop All
                </Button>
              </Form>
            )}
            <LinkButton to={`${here}?dialog=delete`} preventScrollReset icon={<Trash2 />}>
              Delete
            </LinkButton>
            <LinkButton to={`/compare?from=${comparison.id}`} icon={<Copy />}>
              Compare Again
            </LinkButton>
            <LinkButton to="/compare" variant="primary" icon={<Plus />}>
              New Comparison
            </LinkButton>
          </>
        }
      />
      {running && (
        <noscript>
          {/* Without JavaScript: to the streaming page, which returns here. */}
          <meta httpEquiv="refresh" content={`0;url=${withBase(`${here}/live`)}`} />
          <p className="mb-4 flex gap-4 text-sm">
            <a href={withBase(`${here}/live`)} className="text-primary-ink underline">
              Watch the answers live
            </a>
            <a href={withBase(here)} className="text-primary-ink underline">
              Reload
            </a>
          </p>
        </noscript>
      )}
      <div className="flex flex-col gap-4">
        <PromptCard prompt={comparison.prompt} />
        <FiguresTable answers={answers} names={names} />
        {problem && <Notice kind="warning">{problem}</Notice>}
        {base && !problem && (
          <Notice>
            Beside the answer of {names[base.model] ?? base.model}: what another answer lacks of it is struck
            out, what it has besides is underlined.{" "}
            <Link to={here} preventScrollReset className="text-primary-ink underline">
              Show the answers
            </Link>
          </Notice>
        )}
        <ComparisonColumns
          answers={answers}
          names={names}
          here={here}
          against={against}
          differences={differences}
          renderAnswer={({ conversationId, answer }) => (
            <ApprovalsProvider value={{ action: `/chat/${conversationId}` }}>
              <MessageView message={answer} rendering={renderings[answer.id]} untitled />
            </ApprovalsProvider>
          )}
        />
      </div>
      {search.get("dialog") === "delete" && (
        <ConfirmDialog
          title="Delete this comparison?"
          description={`The prompt and its ${answers.length} answers will be deleted. Conversations continued in chat are kept. This can't be undone.`}
          closeTo={here}
          intent="delete"
          confirmLabel="Delete"
        />
      )}
    </>
  );
}

/** Scrolls, so that the answers stay visible. */
function PromptCard({ prompt }: { prompt: string }) {
  return (
    <section className="rounded-lg border border-line bg-surface pb-3 shadow-card">
      <header className="flex items-center justify-between gap-3 px-4 pt-2">
        <h2 className="text-sm">Prompt</h2>
        <CopyButton text={prompt} label="Copy prompt" />
      </header>
      <ScrollRegion label="Prompt" className="max-h-48 overflow-y-auto px-4">
        <p dir="auto" className="wrap-anywhere whitespace-pre-wrap text-sm leading-6">
          {toDisplayText(prompt)}
        </p>
      </ScrollRegion>
    </section>
  );
}
