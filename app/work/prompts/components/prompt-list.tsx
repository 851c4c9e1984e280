import { BookText, MessageSquare, Pencil, Trash2 } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import type { Prompt } from "../prompts.schema";

interface PromptListProps {
  prompts: readonly Prompt[];
  dialogTo: (dialog: "use" | "edit" | "delete", id: string) => string;
}

export function PromptList({ prompts, dialogTo }: PromptListProps) {
  return (
    <RowList label="Prompts">
      {prompts.map(({ id, name, text, variables, shared, author, canEdit }) => (
        <Row
          key={id}
          name={name}
          to={dialogTo("use", id)}
          icon={<BookText aria-hidden="true" />}
          badges={
            <>
              {shared && <Badge>Shared</Badge>}
              {variables.length > 0 && (
                <Badge>{variables.length === 1 ? "1 variable" : `${variables.length} variables`}</Badge>
              )}
            </>
          }
          meta={`${shared ? `${author.name} · ` : ""}${text.slice(0, 200).toWellFormed().replaceAll(/\s+/g, " ")}`}
          actions={[
            {
              label: "Use",
              fullLabel: `Use ${name} in chat`,
              icon: <MessageSquare />,
              to: dialogTo("use", id),
            },
            ...(canEdit
              ? [
                  { label: "Edit", icon: <Pencil />, to: dialogTo("edit", id) },
                  { label: "Delete", icon: <Trash2 />, to: dialogTo("delete", id) },
                ]
              : []),
          ]}
        />
      ))}
    </RowList>
  );
}
