import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { BookUser, Download, Plus, Trash2 } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { MemoryChoice } from "~/platform/settings/settings.schema";
import { readUserSettings, updateUserSettings } from "~/team/members/preferences.service.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { ConfirmDialog, RecordDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { countOf } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { Notice } from "~/ui/notice";
import { BackLink, pageTitle, SectionHeader } from "~/ui/page-header";
import { ToggleForm } from "~/ui/toggle-button";
import { MemoryDialogs, MemoryList } from "~/work/chat/memories/components/memory-list";
import { MAX_MEMORIES, MEMORY_LENGTH, MemoryInput, MemoryQuery } from "~/work/chat/memories/memories.schema";
import {
  addMemory,
  changeMemory,
  forgetAllMemories,
  forgetMemory,
  isMemoryAllowed,
  listMemories,
} from "~/work/chat/memories/memories.service.server";

export const meta = pageTitle("Memory", "Settings");

const HERE = "/settings/profile/memory";

const { loader, action } = screen({
  access: "memories.use",
  query: MemoryQuery,
  load: ({ actor }) => ({
    memories: listMemories(actor),
    isOn: readUserSettings(actor).memory,
    isAllowed: isMemoryAllowed(actor),
    limits: { count: MAX_MEMORIES, length: MEMORY_LENGTH },
  }),
  actions: {
    use: intent({
      access: "memories.use",
      input: MemoryChoice,
      run: ({ actor, input }) => updateUserSettings(actor, input),
      failed: "page",
    }),
    add: intent({
      access: "memories.use",
      input: MemoryInput,
      run: ({ actor, input }) => addMemory(actor, input),
      done: "Memory added",
    }),
    edit: intent({
      access: "memories.use",
      target: "id",
      input: MemoryInput,
      run: ({ actor, target, input }) => changeMemory(actor, target, input),
      done: "Memory saved",
    }),
    // Both also from a chat, to which they return.
    keep: intent({
      access: "memories.use",
      target: "id",
      run: ({ actor, target }) => changeMemory(actor, target, { kept: true }),
      done: (_, { returnTo }) => ({ to: returnTo ?? HERE, toast: "Memory kept" }),
      failed: { toast: "Couldn't keep the memory" },
    }),
    forget: intent({
      access: "memories.use",
      target: "id",
      run: ({ actor, target }) => forgetMemory(actor, target),
      done: (_, { returnTo }) => ({ to: returnTo ?? HERE, toast: "Memory deleted" }),
      failed: { toast: "Couldn't delete the memory" },
    }),
    clear: intent({
      access: "memories.use",
      run: ({ actor }) => forgetAllMemories(actor),
      done: (count) => `${countOf(count, "memory", "memories")} deleted`,
      failed: { dialog: "Couldn't delete the memories" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ showsMissing: true });

export { action, loader, shouldRevalidate };

function UseMemory({ isOn }: { isOn: boolean }) {
  return (
    <Card>
      <ToggleForm
        label="Use memory in chats"
        hint="Your chats send what you keep here to the model, and the model may propose more. Each chat can turn it off. Temporary chats, comparisons, workflows and programs don't use it."
        name="memory"
        isOn={isOn}
        intent="use"
      />
    </Card>
  );
}

const dialogTo = (dialog: string, id: string) => `?dialog=${dialog}&id=${encodeURIComponent(id)}`;

export default function MemoryPage() {
  const { memories, isOn, isAllowed, limits } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const [search] = useSearchParams();
  const proposed = memories.filter(({ kept }) => !kept);
  const kept = memories.filter((memory) => memory.kept);
  const add = isAllowed ? (
    <LinkButton to="?dialog=new" preventScrollReset variant="primary" icon={<Plus aria-hidden="true" />}>
      Add Memory
    </LinkButton>
  ) : undefined;
  return (
    <section aria-labelledby="memory" className="flex max-w-3xl flex-col gap-4">
      <SectionHeader
        id="memory"
        title="Memory"
        subtitle="What chats remember about you. Nobody else sees it."
        actions={
          <>
            <BackLink to="/settings/profile">Profile</BackLink>
            {memories.length > 0 && add}
          </>
        }
      />
      {isAllowed ? (
        <UseMemory isOn={isOn} />
      ) : (
        <Notice>Memory is turned off in this organization. You can still read and delete yours.</Notice>
      )}
      {proposed.length > 0 && (
        <section aria-labelledby="proposed" className="flex flex-col gap-2">
          <h3 id="proposed" className="text-sm">
            Proposed by chats
          </h3>
          <p className="text-muted text-xs">Not used until you keep it.</p>
          <MemoryList
            label="Proposed memories"
            memories={proposed}
            canChange={isAllowed}
            dialogTo={dialogTo}
          />
        </section>
      )}
      {memories.length === 0 ? (
        <EmptyState
          icon={<BookUser />}
          title="Nothing is remembered"
          description={
            isAllowed
              ? "Add a fact about you that helps in every chat, or keep one that a chat proposes."
              : "You have no memories from before."
          }
          action={add}
        />
      ) : (
        kept.length > 0 && (
          <section aria-labelledby="kept" className="flex flex-col gap-2">
            <h3 id="kept" className="text-sm">
              Kept{" "}
              <span className="font-normal text-muted tabular-nums">
                {kept.length} of {limits.count}
              </span>
            </h3>
            <MemoryList label="Kept memories" memories={kept} canChange={isAllowed} dialogTo={dialogTo} />
          </section>
        )
      )}
      {memories.length > 0 && (
        <p className="flex flex-wrap gap-2">
          <LinkButton
            to="/api/memories"
            reloadDocument
            download="memories.json"
            icon={<Download aria-hidden="true" />}
          >
            Export
          </LinkButton>
          <LinkButton to="?dialog=clear" preventScrollReset icon={<Trash2 aria-hidden="true" />}>
            Delete All
          </LinkButton>
        </p>
      )}
      <MemoryDialogs
        memories={memories}
        canChange={isAllowed}
        maxLength={limits.length}
        closeTo={HERE}
        result={result}
      />
      {search.get("dialog") === "clear" && (
        <RecordDialog
          record={memories[0]}
          missing="No memories found. They may have been deleted."
          closeTo={HERE}
        >
          {() => (
            <ConfirmDialog
              title={`Delete ${countOf(memories.length, "memory", "memories")}?`}
              description="Chats no longer know any of it. Messages that were already written stay. This can't be undone."
              closeTo={HERE}
              intent="clear"
              confirmLabel="Delete All"
            />
          )}
        </RecordDialog>
      )}
    </section>
  );
}
