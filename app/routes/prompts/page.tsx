import { useActionData, useLoaderData } from "@remix-run/react";
import { BookText, MessageSquare, Plus, SearchX, Upload } from "lucide-react";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may, refusal } from "~/platform/rights/authorization.server";
import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { FindForm } from "~/ui/find-form";
import { countOf } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { JsonImportDialog } from "~/ui/json-import-dialog";
import { usePageAddress } from "~/ui/page-address";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { Row } from "~/ui/row";
import { changeActions } from "~/ui/row-actions";
import { RowList } from "~/ui/row-selection";
import { useOpenDialog } from "~/ui/use-open-dialog";
import { PromptDialog, UsePromptDialog } from "~/work/prompts/components/prompt-dialog";
import { importPrompts, PromptImportForm } from "~/work/prompts/import-prompts.service.server";
import { type Prompt, PromptForm, PromptScreenQuery, PromptValues } from "~/work/prompts/prompts.schema";
import {
  createPrompt,
  deletePrompt,
  fillStoredPrompt,
  pagePrompts,
  readPrompt,
  updatePrompt,
} from "~/work/prompts/prompts.service.server";

const PAGE_SIZE = 50;

export const meta = pageTitle("Prompts");

const { loader, action } = screen({
  access: "signed-in",
  query: PromptScreenQuery,
  load: async ({ actor, query }) => ({
    ...(await pagePrompts(actor, { find: query.find, limit: PAGE_SIZE, cursor: query.cursor })),
    query,
    about: query.id === undefined ? {} : findOrExplain(() => readPrompt(actor, query.id ?? "")),
    refusal: may(actor, "prompts.write") ? undefined : refusal("prompts.write"),
    mayChat: may(actor, "chat.use"),
  }),
  actions: {
    create: intent({
      access: "prompts.write",
      input: PromptForm,
      run: ({ actor, input: { updatedAt: _, ...input } }) =>
        createPrompt(actor, { ...input, shared: input.shared === "on" }),
      // A search could hide it.
      done: ({ name }) => ({ to: "/prompts", toast: `Prompt "${name}" created` }),
    }),
    update: intent({
      access: "prompts.write",
      target: "id",
      input: PromptForm,
      run: ({ actor, target, input: { updatedAt, ...input } }) =>
        updatePrompt(actor, target, { ...input, shared: input.shared === "on" }, updatedAt),
      done: ({ name }) => `Prompt "${name}" saved`,
    }),
    delete: intent({
      access: "prompts.write",
      target: "id",
      run: ({ actor, target }) => deletePrompt(actor, target),
      done: ({ name }) => `Prompt "${name}" deleted`,
      failed: { dialog: "Couldn't delete the prompt" },
    }),
    import: intent({
      access: "prompts.write",
      input: PromptImportForm,
      run: ({ actor, input }) => importPrompts(actor, input.json),
      done: ({ prompts, present }) => ({
        to: "/prompts",
        toast: `Imported ${countOf(prompts.length, "prompt")}${present > 0 ? `; you had ${present} already` : ""}`,
      }),
    }),
    fill: intent({
      access: "signed-in",
      target: "id",
      input: PromptValues,
      run: ({ actor, target, input }) => fillStoredPrompt(actor, target, input.values),
      done: (filled) => ({ show: filled }),
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ showsMissing: true });

export { action, loader, shouldRevalidate };

export default function Prompts() {
  const { prompts, next, query, refusal, mayChat, about } = useLoaderData<typeof loader>();
  const { result, shown: filled } = useActionData<typeof action>() ?? {};
  const { search, isLoading } = useOpenDialog(prompts, {
    loads: (opened) => opened.has("id") && !prompts.some(({ id }) => id === opened.get("id")),
  });
  const dialog = search.get("dialog");
  useLiveTopics(["prompts"], { isPaused: dialog !== null });
  const selected = [...prompts, about.selected].find((prompt) => prompt?.id === search.get("id"));
  const isAbout = !isLoading && !selected && (query.id ?? null) === search.get("id");
  const missing = dialog && isAbout ? about.missing : undefined;
  const address = usePageAddress();
  const closeTo = address();
  const newPrompt = (label: string, variant: "primary" | "secondary") =>
    refusal ? undefined : (
      <LinkButton to={address({ dialog: "new" })} preventScrollReset variant={variant} icon={<Plus />}>
        {label}
      </LinkButton>
    );
  return (
    <>
      <PageHeader
        title="Prompts"
        subtitle="Save texts with variables, and insert them in chat with /"
        actions={
          refusal ? (
            <p className="text-muted text-xs">{refusal}</p>
          ) : (
            <>
              <LinkButton to={address({ dialog: "import" })} preventScrollReset icon={<Upload />}>
                Import
              </LinkButton>
              {newPrompt("New Prompt", "primary")}
            </>
          )
        }
      />
      {(prompts.length > 0 || query.find) && (
        <FindForm action="/prompts" label="Search prompts" find={query.find} />
      )}
      {prompts.length > 0 ? (
        <PromptList prompts={prompts} dialogTo={(name, id) => address({ dialog: name, id })} />
      ) : query.find ? (
        <EmptyState
          icon={<SearchX />}
          title="No prompts found"
          description={`No name or text contains "${query.find}".`}
          action={<LinkButton to="/prompts">Show All Prompts</LinkButton>}
        />
      ) : (
        <EmptyState
          icon={<BookText />}
          title="No prompts yet"
          description="Save prompts you use often and insert them in chat with /."
          action={newPrompt("Create First Prompt", "secondary")}
        />
      )}
      <CursorPages
        first={query.cursor && address({ cursor: undefined })}
        firstLabel="First Page"
        next={next && address({ cursor: next })}
        nextLabel="Next Page"
      />
      {missing !== undefined &&
        (result && dialog === "edit" ? (
          <PromptDialog key={query.id} isMissing closeTo={closeTo} result={result} />
        ) : (
          <MissingDialog message={missing} closeTo={closeTo} />
        ))}
      {dialog === "import" && !refusal && (
        <JsonImportDialog
          title="Import Prompts"
          description="Add prompts exported by Open WebUI or LibreChat"
          hint="Paste the content of an exported file. The prompts are yours alone until you share them."
          submit="Import"
          closeTo={closeTo}
          result={result}
        />
      )}
      {dialog === "new" && !refusal && <PromptDialog closeTo={closeTo} result={result} />}
      {dialog === "edit" && selected?.canEdit && (
        <PromptDialog key={selected.id} prompt={selected} closeTo={closeTo} result={result} />
      )}
      {dialog === "use" && selected && (
        <UsePromptDialog
          prompt={selected}
          filled={filled}
          result={result}
          mayChat={mayChat}
          closeTo={closeTo}
        />
      )}
      {dialog === "delete" && selected?.canEdit && (
        <ConfirmDialog
          title={`Delete "${selected.name}"?`}
          description={
            selected.shared
              ? "It will no longer be available to anyone in the organization. This can't be undone."
              : "This can't be undone."
          }
          closeTo={closeTo}
          intent="delete"
          values={{ id: selected.id }}
          confirmLabel="Delete Prompt"
        />
      )}
    </>
  );
}

interface PromptListProps {
  prompts: readonly Prompt[];
  dialogTo: (dialog: "use" | "edit" | "delete", id: string) => string;
}

function PromptList({ prompts, dialogTo }: PromptListProps) {
  return (
    <RowList label="Prompts">
      {prompts.map(({ id, name, text, variables, shared, author, canEdit }) => (
        <Row
          key={id}
          name={name}
          to={dialogTo("use", id)}
          icon={<BookText />}
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
            ...(canEdit ? changeActions(dialogTo("edit", id), dialogTo("delete", id)) : []),
          ]}
        />
      ))}
    </RowList>
  );
}
