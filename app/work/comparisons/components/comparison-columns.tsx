import { Form } from "@remix-run/react";
import { MessageSquare, Square } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class-names";
import type { ComparedAnswer } from "../comparisons.schema";

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
  renderAnswer: (answer: ComparedAnswer["answer"]) => ReactNode;
}

export function ComparisonColumns({ answers, names, renderAnswer }: Props) {
  return (
    <div className={cx("grid gap-4", GRIDS[answers.length])}>
      {answers.map(({ conversationId, model, answer }) => (
        <section
          key={conversationId}
          aria-label={names[model] ?? model}
          // Subgrid rows align the answers' tops regardless of the names' lengths.
          className="row-span-3 grid min-w-0 grid-rows-subgrid gap-y-0 rounded-lg border border-line bg-surface shadow-card"
        >
          <header className="border-line border-b px-4 py-3">
            <h2 title={model} className="wrap-anywhere text-sm">
              {names[model] ?? model}
            </h2>
          </header>
          <div className="min-w-0 p-4">{renderAnswer(answer)}</div>
          <Form
            method="post"
            // The chat begins at its top.
            preventScrollReset={answer.status === "streaming"}
            className="border-line border-t px-4 py-3 print:hidden"
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
          </Form>
        </section>
      ))}
    </div>
  );
}
