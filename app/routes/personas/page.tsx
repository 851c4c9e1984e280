import { useActionData, useLoaderData } from "@remix-run/react";
import { Bot, FlaskConical, GraduationCap, Plus, SearchX, Upload } from "lucide-react";
import { explainMissingTools, listTools } from "~/ai/tools/tools.service.server";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may, refusal } from "~/platform/rights/authorization.server";
import { listGroupNames } from "~/team/members/groups.service.server";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog, MessageDialog, MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { FAILURES } from "~/ui/failures";
import { FindForm } from "~/ui/find-form";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { JsonImportDialog } from "~/ui/json-import-dialog";
import { lazyPart } from "~/ui/lazy-part";
import { usePageAddress } from "~/ui/page-address";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { useOpenDialog } from "~/ui/use-open-dialog";
import { PersonaCard } from "~/work/personas/components/persona-card";
import { PersonaDialog } from "~/work/personas/components/persona-dialog";
import { importPersonaText, PersonaImportForm } from "~/work/personas/exchange.service.server";
import {
  NewPersonaForm,
  PersonaForm,
  PersonaScreenQuery,
  PersonaTrial,
} from "~/work/personas/personas.schema";
import {
  createPersona,
  defaultPersonaModel,
  deletePersona,
  listPersonas,
  listPersonaUses,
  maySharePersona,
  nameModels,
  offerPersonaModels,
  pagePersonas,
  readPersona,
  updatePersona,
} from "~/work/personas/personas.service.server";
import { explainUses } from "~/work/personas/personas.shared";
import { tryPersona } from "~/work/personas/try-persona.service.server";
import { listSkills } from "~/work/skills/skills.service.server";

const markdown = lazyPart(
  () => import("~/work/chat/components/markdown").then((module) => module.Markdown),
  "[role=status] .prose-qd",
);

const PAGE_SIZE = 60;

/** Minimum number of personas on the first page for a search field. */
const MIN_SEARCHABLE = 7;

export const meta = pageTitle("Personas");

const { loader, action } = screen({
  access: "signed-in",
  query: PersonaScreenQuery,
  load: async ({ actor, query }) => {
    const mayWrite = may(actor, "personas.write");
    const needsPersona =
      mayWrite &&
      query.dialog !== undefined &&
      (query.id !== undefined || !["new", "import"].includes(query.dialog));
    // May be on another page.
    const dialogPersona = needsPersona ? findOrExplain(() => readPersona(actor, query.id ?? "")) : {};
    const { selected } = dialogPersona;
    const tools = listTools(actor).map(({ name, title, effect, policy }) => ({
      name,
      title,
      effect,
      policy,
    }));
    const page = await pagePersonas(actor, { limit: PAGE_SIZE, cursor: query.cursor, find: query.find });
    return {
      ...page,
      query,
      dialogPersona,
      uses: mayWrite ? listPersonaUses(actor) : {},
      missingTools: explainMissingTools(
        actor,
        page.personas.flatMap((persona) => persona.tools),
      ),
      modelNames: nameModels(actor, page.personas),
      disabledTools: tools.filter(({ policy }) => policy === "never").map(({ name }) => name),
      mayChat: may(actor, "chat.use"),
      refusal: mayWrite ? undefined : refusal("personas.write"),
      form: mayWrite
        ? {
            tools,
            models: offerPersonaModels(actor, selected ? [...page.personas, selected] : page.personas),
            model: defaultPersonaModel(actor, query.created !== undefined),
            skills: listSkills(actor).map(({ id, name, description: hint }) => ({ id, name, hint })),
            personas: listPersonas(actor).map(({ id, name }) => ({ id, name })),
            groups: listGroupNames(actor),
            mayTry: may(actor, "chat.use"),
            mayShare: query.dialog !== "edit" || selected === undefined || maySharePersona(actor, selected),
          }
        : undefined,
    };
  },
  actions: {
    create: intent({
      access: "personas.write",
      input: NewPersonaForm,
      run: ({ actor, input: { question: _, ...input } }) => createPersona(actor, input),
      done: ({ id }) => ({ to: `/personas?created=${id}`, toast: "Persona created successfully" }),
      failed: { fields: FAILURES.createPersona },
    }),
    update: intent({
      access: "personas.write",
      target: "id",
      input: PersonaForm,
      run: ({ actor, target, input: { question: _, updatedAt, ...input } }) =>
        updatePersona(
          actor,
          target,
          {
            ...input,
            // Browsers omit unchecked boxes.
            ...(input.visibility && { groups: input.groups ?? [] }),
          },
          updatedAt,
        ),
      done: "Persona updated successfully",
      failed: { fields: FAILURES.updatePersona },
    }),
    import: intent({
      access: "personas.write",
      input: PersonaImportForm,
      run: ({ actor, input }) => importPersonaText(actor, input.json),
      done: ({ personas, missingTools }) => {
        const count = personas.length === 1 ? "1 persona" : `${personas.length} personas`;
        const withoutTools = missingTools.length > 0 ? ` without ${missingTools.join(", ")}` : "";
        return { to: "/personas", toast: `Imported ${count}${withoutTools}` };
      },
    }),
    try: intent({
      access: "personas.write",
      input: PersonaTrial,
      run: async ({ actor, input, context }) => ({
        ...(await tryPersona(actor, input, context.closed)),
        submitted: input,
      }),
      done: (tryout) => ({ show: tryout }),
    }),
    delete: intent({
      access: "personas.write",
      target: "id",
      run: ({ actor, target }) => deletePersona(actor, target),
      done: ({ name }) => `Persona "${name}" deleted`,
      failed: { dialog: "Couldn't delete the persona" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ showsMissing: true });

export { action, loader, shouldRevalidate };

export default function Personas() {
  const loaded = useLoaderData<typeof loader>();
  const { personas, next, query, dialogPersona, refusal, form } = loaded;
  const { search, isLoading } = useOpenDialog(personas, {
    loads: (opened) => opened.has("id") && !personas.some(({ id }) => id === opened.get("id")),
  });
  const dialog = refusal ? null : search.get("dialog");
  useLiveTopics(["personas"], { isPaused: dialog !== null });
  const selected = [...personas, dialogPersona.selected].find((persona) => persona?.id === search.get("id"));
  const isMissing = !isLoading && !selected && (query.id ?? null) === search.get("id");
  const missing = dialog && isMissing ? dialogPersona.missing : undefined;
  const { result, shown: tryout } = useActionData<typeof action>() ?? {};
  const address = usePageAddress();
  const usedBy = loaded.uses[selected?.id ?? ""] ?? [];
  const closeTo = address();
  const posted = { closeTo, result, tryout, Markdown: markdown.Part };
  const isPosted = result !== undefined || tryout !== undefined;
  const newPersona = (label: string, variant: "primary" | "secondary") =>
    refusal ? undefined : (
      <LinkButton to={address({ dialog: "new" })} preventScrollReset variant={variant} icon={<Plus />}>
        {label}
      </LinkButton>
    );
  return (
    <>
      <PageHeader
        title="Personas"
        subtitle="Reusable system prompts with a model, mode and tools"
        actions={
          refusal ? (
            <p className="text-muted text-xs">{refusal}</p>
          ) : (
            <>
              <LinkButton to="/skills" icon={<GraduationCap />}>
                Skills
              </LinkButton>
              <LinkButton to="/evaluations" icon={<FlaskConical />}>
                Evaluations
              </LinkButton>
              <LinkButton to={address({ dialog: "import" })} preventScrollReset icon={<Upload />}>
                Import
              </LinkButton>
              {newPersona("New Persona", "primary")}
            </>
          )
        }
      />
      {(personas.length >= MIN_SEARCHABLE || query.cursor || query.find) && (
        <FindForm action="/personas" label="Search personas" find={query.find} />
      )}
      {query.find && personas.length === 0 ? (
        <EmptyState
          icon={<SearchX />}
          title="No personas found"
          description={`No name or system prompt contains "${query.find}".`}
          action={<LinkButton to="/personas">Show All Personas</LinkButton>}
        />
      ) : personas.length === 0 ? (
        <EmptyState
          icon={<Bot />}
          title="No personas yet"
          description={
            refusal
              ? "Personas give a model a role to reuse in every conversation. Members can add them."
              : "Give a model a role and reuse it in every conversation."
          }
          action={newPersona("Create First Persona", "secondary")}
        />
      ) : (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))] gap-4">
          {personas.map((persona) => (
            <li key={persona.id}>
              <PersonaCard
                persona={persona}
                modelName={loaded.modelNames[persona.defaultModel]}
                isNew={persona.id === query.created}
                disabledTools={loaded.disabledTools}
                missing={loaded.missingTools}
                mayChat={loaded.mayChat}
                links={
                  refusal
                    ? undefined
                    : {
                        edit: address({ dialog: "edit", id: persona.id }),
                        copy: address({ dialog: "new", id: persona.id }),
                        exported: `/personas/${persona.id}/export`,
                        remove: address({ dialog: "delete", id: persona.id }),
                      }
                }
              />
            </li>
          ))}
        </ul>
      )}
      <CursorPages
        first={query.cursor && address({ cursor: undefined, created: undefined })}
        next={next && address({ cursor: next, created: undefined })}
        nextLabel="Older Personas"
      />
      {dialog === "import" && (
        <JsonImportDialog
          title="Import Personas"
          description="Add personas exported here, models of Open WebUI, or presets and agents of LibreChat"
          hint="Paste the content of an exported file. Only you and admins see the personas at first; tools that aren't installed here are left out."
          submit="Import"
          closeTo={closeTo}
          result={result}
        />
      )}
      {missing !== undefined && !isPosted && <MissingDialog message={missing} closeTo={closeTo} />}
      {form && dialog === "edit" && missing !== undefined && isPosted && (
        <PersonaDialog key={query.id} isMissing {...form} {...posted} />
      )}
      {form && dialog === "new" && (missing === undefined || isPosted) && (
        <PersonaDialog key={selected?.id} template={selected} {...form} {...posted} />
      )}
      {form && dialog === "edit" && selected && (
        <PersonaDialog key={selected.id} persona={selected} {...form} {...posted} />
      )}
      {dialog === "delete" && selected && usedBy.length > 0 && (
        <MessageDialog
          title={`"${selected.name}" can't be deleted`}
          description={explainUses(usedBy)}
          closeTo={closeTo}
        />
      )}
      {dialog === "delete" && selected && usedBy.length === 0 && (
        <ConfirmDialog
          title={`Delete "${selected.name}"?`}
          description="No workflow or widget uses it. Conversations that used this persona are kept. This can't be undone."
          closeTo={closeTo}
          intent="delete"
          values={{ id: selected.id }}
          confirmLabel="Delete Persona"
        />
      )}
    </>
  );
}
