import { Form } from "@remix-run/react";
import { FileDiff, MessageSquare, Square } from "lucide-react";
import type { ReactNode } from "react";
import { toDisplayText } from "~/core/well-formed";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { hasFinalText } from "../columns.shared";
import type { ComparedAnswer, Difference } from "../comparisons.schema";

/** By number of columns: side by side if there is room, otherwise stacked. */
const GRIDS: Record<number, string> = {
  2: "md:grid-cols-2",
  3: "md:grid-cols-2 xl:grid-cols-3",
  4: "md:grid-cols-2 xl:grid-cols-4",
};

interface Props {
  answers: readonly ComparedAnswer[];
  names: Readonly<Record<string, string>>;
  /** Renders an answer as in chat. */
  renderAnswer: (answer: ComparedAnswer) => ReactNode;
  /** Address of the comparison. */
  here: string;
  /** Conversation of the answer that the others are held against. */
  against: string | undefined;
  differences: readonly Difference[];
}

export function ComparisonColumns({ answers, names, renderAnswer, here, against, differences }: Props) {
  const canDiffer = answers.filter(({ answer }) => hasFinalText(answer)).length > 1;
  const changesOf = new Map(differences.map(({ conversationId, changes }) => [conversationId, changes]));
  return (
    <div className={cx("grid gap-4", GRIDS[answers.length])}>
      {answers.map((compared) => {
        const { conversationId, model, answer } = compared;
        return (
          <section
            key={conversationId}
            aria-label={names[model] ?? model}
            // Subgrid rows align the answers' tops regardless of the names' lengths.
            className="row-span-3 grid min-w-0 grid-rows-subgrid gap-y-0 rounded-lg border border-line bg-surface shadow-card"
          >
            <header className="flex items-start justify-between gap-3 border-line border-b px-4 py-3">
              <h2 title={model} className="wrap-anywhere text-sm">
                {names[model] ?? model}
              </h2>
              {conversationId === against && <Badge tone="info">Base</Badge>}
            </header>
            <div className="min-w-0 p-4">
              {changesOf.has(conversationId) ? (
                <ChangedText changes={changesOf.get(conversationId) ?? []} />
              ) : (
                renderAnswer(compared)
              )}
            </div>
            <Form
              method="post"
              // The chat begins at its top.
              preventScrollReset={answer.status === "streaming"}
              className="flex flex-wrap gap-2 border-line border-t px-4 py-3 print:hidden"
            >
              <input type="hidden" name="conversationId" value={conversationId} />
              {answer.status === "streaming" ? (
                <Button name="intent" value="stop-one" size="sm" icon={<Square />}>
                  Stop
                </Button>
              ) : (
                <Button name="intent" value="continue" size="sm" icon={<MessageSquare />}>
                  Continue in Chat
                </Button>
              )}
              {canDiffer && hasFinalText(answer) && conversationId !== against && (
                <LinkButton
                  to={`${here}?against=${encodeURIComponent(conversationId)}`}
                  size="sm"
                  preventScrollReset
                  icon={<FileDiff />}
                >
                  Differences From This
                </LinkButton>
              )}
            </Form>
          </section>
        );
      })}
    </div>
  );
}

const TAGS = { both: "span", base: "del", text: "ins" } as const;
const MARKS = {
  both: undefined,
  base: "rounded-xs bg-danger-soft text-danger-ink line-through",
  text: "rounded-xs bg-success-soft text-success-ink underline",
};

/** A text as it is written, with what it lacks of the base struck out and what it has besides underlined. */
function ChangedText({ changes }: { changes: Difference["changes"] }) {
  if (changes.every((change) => change.in === "both"))
    return <p className="text-muted text-sm">The same text as the base</p>;
  return (
    <p dir="auto" className="wrap-anywhere whitespace-pre-wrap text-sm leading-6">
      {changes.map((change, index) => {
        const Tag = TAGS[change.in];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the changes of two stored texts never move
          <Tag key={index} className={MARKS[change.in]}>
            {toDisplayText(change.words)}
          </Tag>
        );
      })}
    </p>
  );
}
