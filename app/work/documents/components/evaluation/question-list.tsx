import { Pencil, Trash2 } from "lucide-react";
import { IconLink } from "~/ui/button";
import { countOf } from "~/ui/format";
import type { CheckQuestion } from "~/work/search/evaluation/retrieval-check.schema";

function documentsOf({ passages }: CheckQuestion): { id: string; name: string }[] {
  return [...new Map(passages.map(({ documentId, document }) => [documentId, document]))].map(
    ([id, name]) => ({
      id,
      name,
    }),
  );
}

interface QuestionListProps {
  questions: readonly CheckQuestion[];
  mayWrite: boolean;
  dialog: (name: "edit" | "delete", id: string) => string;
}

export function QuestionList({ questions, mayWrite, dialog }: QuestionListProps) {
  return (
    <ul className="-my-2 divide-y divide-line">
      {questions.map((one) => (
        <li key={one.id} className="flex items-start gap-2 py-2">
          <div className="min-w-0 flex-1">
            <p className="wrap-anywhere">{one.question}</p>
            <p className="wrap-anywhere text-muted text-xs">
              {countOf(one.passages.length, "passage")}
              {documentsOf(one).map(({ id, name }) => (
                <span key={id}>
                  {" · "}
                  <a href={`/rag/${encodeURIComponent(id)}`} className="underline hover:text-ink">
                    {name}
                  </a>
                </span>
              ))}
            </p>
          </div>
          {mayWrite && (
            <span className="flex shrink-0">
              <IconLink
                to={dialog("edit", one.id)}
                preventScrollReset
                label={`Edit "${one.question}"`}
                icon={<Pencil />}
              />
              <IconLink
                to={dialog("delete", one.id)}
                preventScrollReset
                label={`Delete "${one.question}"`}
                icon={<Trash2 />}
              />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
