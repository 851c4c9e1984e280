import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { FolderCog, MessageSquare, Pencil, Plus, SearchX, Trash2, Upload, Users } from "lucide-react";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { safeReturnTo } from "~/http/return-to.server";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { countOf } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { NameDialog } from "~/ui/name-dialog";
import { usePageAddress } from "~/ui/page-address";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { ConversationList, ListFilters, MessageHits } from "~/work/chat/components/list/conversation-list";
import {
  ActionsDialog,
  FOLDER_DELETION,
  KeepFiles,
  MoveDialog,
} from "~/work/chat/components/list/list-dialogs";
import { listOwnConversations, readLastQuestion } from "~/work/chat/conversations.service.server";
import { LIST_PAGE, ListQuery, RenameInput, SelectionInput } from "~/work/chat/list/list.schema";
import {
  changeConversation,
  changeConversations,
  deleteConversations,
  readListed,
  restoreConversations,
  restoreDeleted,
} from "~/work/chat/list/list.service.server";
import { searchMessages } from "~/work/chat/list/search.service.server";
import { DeletionInput, FolderInput } from "~/work/chat/projects/projects.schema";
import {
  createFolder,
  deleteFolder,
  listFolders,
  updateFolder,
} from "~/work/chat/projects/projects.service.server";
import { retentionDays } from "~/work/chat/retention/retention.service.server";
import { createScheduledQuestion } from "~/work/workflows/workflows.service.server";

const HERE = "/chat/all";

export const meta = pageTitle("Conversations");

function backTo({ url, returnTo }: { url: URL; returnTo: string | undefined }): string {
  const search = new URLSearchParams(url.search);
  for (const name of ["dialog", "id", "at", "returnTo"]) search.delete(name);
  return returnTo ?? (search.size > 0 ? `${HERE}?${search}` : HERE);
}

const changeSelected = (
  run: (actor: Actor, selected: z.infer<typeof SelectionInput>) => unknown,
  done: string,
  verb = "change",
) =>
  intent({
    access: "chat.use",
    input: SelectionInput,
    run: ({ actor, input }) => run(actor, input),
    done: (_, { input: { ids } }) => `${countOf(ids.length, "conversation")} ${done}`,
    failed: { toast: `Couldn't ${verb} the conversations` },
  });

const change = (patch: Parameters<typeof changeConversations>[2], done: string) =>
  changeSelected((actor, { ids }) => changeConversations(actor, ids, patch), done);

const { loader, action } = screen({
  access: "chat.use",
  query: ListQuery,
  load: async ({ actor, query }) => {
    const { q, folder: folderId, archived, deleted, cursor, id } = query;
    const isSearch = q !== "";
    const page = isSearch ? { limit: LIST_PAGE } : { limit: LIST_PAGE, cursor, folderId, archived, deleted };
    const results = isSearch ? await searchMessages(actor, { q, limit: LIST_PAGE, cursor }) : undefined;
    const listed = results ? { conversations: [] } : listOwnConversations(actor, page);
    return {
      query,
      // Of a dialog that a conversation opens.
      returnTo: query.returnTo === undefined ? undefined : safeReturnTo(query.returnTo),
      hits: results?.hits,
      conversations: listed.conversations,
      next: results ? results.next : "next" in listed ? listed.next : undefined,
      folders: listFolders(actor),
      kept: retentionDays(actor),
      about:
        query.dialog === "actions" || query.dialog === "rename" || query.dialog === "move"
          ? findOrExplain(() => readListed(actor, id ?? ""))
          : {},
    };
  },
  back: backTo,
  actions: {
    rename: intent({
      access: "chat.use",
      target: "id",
      input: RenameInput,
      run: ({ actor, target, input }) => changeConversation(actor, target, input),
      done: "Conversation renamed",
    }),
    pin: change({ pinned: true }, "pinned"),
    unpin: change({ pinned: false }, "unpinned"),
    archive: change({ archived: true }, "archived"),
    unarchive: change({ archived: false }, "unarchived"),
    move: changeSelected(
      (actor, { ids, folderId }) => changeConversations(actor, ids, { folderId: folderId || null }),
      "moved",
      "move",
    ),
    schedule: intent({
      access: "workflows.write",
      input: SelectionInput,
      run: ({ actor, input: { ids } }) =>
        createScheduledQuestion(actor, readLastQuestion(actor, ids[0] ?? "")),
      done: ({ id }) => ({
        to: `/workflows/builder?id=${id}`,
        toast: "Workflow created. Add who gets the answer, and enable it.",
      }),
      failed: { toast: "Couldn't make a workflow of the conversation" },
    }),
    delete: intent({
      access: "chat.use",
      input: SelectionInput,
      run: ({ actor, input: { ids } }) => deleteConversations(actor, ids),
      done: ({ deletedAt }, { input: { ids } }) => ({
        toast: {
          kind: "success",
          title: `${countOf(ids.length, "conversation")} deleted`,
          undo: { action: `${HERE}?at=${deletedAt}`, intent: "restore" },
        },
      }),
      failed: { toast: "Couldn't delete the conversations" },
    }),
    "restore-selected": changeSelected((actor, { ids }) => restoreDeleted(actor, ids), "restored", "restore"),
    restore: intent({
      access: "chat.use",
      run: ({ actor, url }) => restoreConversations(actor, Number(url.searchParams.get("at"))),
      done: (count) => `${countOf(count, "conversation")} restored`,
      failed: { toast: "Couldn't restore the conversations" },
    }),
    "create-folder": intent({
      access: "chat.use",
      input: FolderInput,
      run: ({ actor, input }) => createFolder(actor, input),
      done: ({ id, name }) => ({ to: `${HERE}?folder=${id}`, toast: `Folder "${name}" created` }),
    }),
    "rename-folder": intent({
      access: "chat.use",
      target: "id",
      input: FolderInput,
      run: ({ actor, target, input }) => updateFolder(actor, target, input),
      done: ({ name }) => `Folder renamed to "${name}"`,
    }),
    "delete-folder": intent({
      access: "chat.use",
      target: "id",
      input: DeletionInput,
      run: ({ actor, target, input }) => deleteFolder(actor, target, input),
      done: ({ name }) => ({ to: HERE, toast: `Folder "${name}" deleted` }),
      failed: { dialog: "Couldn't delete the folder" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

export default function Conversations() {
  const { query, returnTo, hits, conversations, next, folders, about, kept } = useLoaderData<typeof loader>();
  useLiveTopics(["conversations"], { isPaused: query.q !== "" });
  const result = useActionData<typeof action>()?.result;
  const [search] = useSearchParams();
  const { q, folder, archived, deleted } = query;
  const address = usePageAddress();
  const closeTo = returnTo ?? address();
  const dialog = search.get("dialog");
  const id = search.get("id");
  const chosen = [...conversations, about.selected].find((one) => one?.id === id);
  const chosenFolder = folders.find((one) => one.id === id);
  const shownFolder = folders.find((one) => one.id === folder);
  const isEmpty = hits ? hits.length === 0 : conversations.length === 0;
  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader
        title="Conversations"
        subtitle={
          kept === undefined
            ? "Search, organize and delete your conversations"
            : `Search, organize and delete your conversations. Each is deleted ${countOf(kept, "day")} after its last message.`
        }
        actions={
          <>
            <LinkButton to="/chat/shared" icon={<Users />}>
              Shared with Me
            </LinkButton>
            <LinkButton to="/chat/import" icon={<Upload />}>
              Import
            </LinkButton>
            <LinkButton to="/chat" variant="primary" icon={<Plus aria-hidden="true" />}>
              New Chat
            </LinkButton>
          </>
        }
      />
      <ListFilters
        q={q}
        folder={folder}
        archived={archived}
        deleted={deleted}
        folders={folders}
        newFolderTo={address({ dialog: "new-folder" })}
      />
      {shownFolder && q === "" && (
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 flex-1 truncate text-md">{shownFolder.name}</h2>
          <LinkButton to={`/chat?folder=${shownFolder.id}`} size="sm" icon={<Plus />}>
            New Chat Here
          </LinkButton>
          <LinkButton to={`/chat/projects/${shownFolder.id}`} size="sm" icon={<FolderCog />}>
            Project
          </LinkButton>
          {shownFolder.role === "owner" && (
            <>
              <LinkButton
                to={address({ dialog: "rename-folder", id: shownFolder.id })}
                size="sm"
                icon={<Pencil />}
                preventScrollReset
              >
                Rename Folder
              </LinkButton>
              <LinkButton
                to={address({ dialog: "delete-folder", id: shownFolder.id })}
                size="sm"
                icon={<Trash2 />}
                preventScrollReset
              >
                Delete Folder
              </LinkButton>
            </>
          )}
        </div>
      )}
      {isEmpty ? (
        <EmptyList q={q} deleted={deleted} place={placeOf(query, shownFolder !== undefined)} />
      ) : hits ? (
        <MessageHits hits={hits} />
      ) : (
        <ConversationList
          // Another list begins without a selection.
          key={[folder, archived, deleted, query.cursor].join()}
          conversations={conversations}
          folders={folders}
          archived={archived}
          deleted={deleted}
          dialogTo={(open, about) => address({ dialog: open, id: about })}
        />
      )}
      <CursorPages
        first={query.cursor && address({ cursor: "" })}
        firstLabel="First Page"
        next={next && address({ cursor: next })}
        nextLabel="Next Page"
      />
      {dialog === "rename" && chosen && (
        <NameDialog
          key={chosen.id}
          title="Rename Conversation"
          label="Title"
          field="title"
          value={chosen.title}
          maxLength={200}
          intent="rename"
          submit="Rename"
          id={chosen.id}
          closeTo={closeTo}
          result={result}
        />
      )}
      {dialog === "actions" && chosen && (
        <ActionsDialog
          conversation={chosen}
          dialogTo={(open, about) => address({ dialog: open, id: about })}
          closeTo={closeTo}
        />
      )}
      {dialog === "move" && chosen && (
        <MoveDialog conversation={chosen} folders={folders} closeTo={closeTo} />
      )}
      {about.missing && !chosen && <MissingDialog message={about.missing} closeTo={closeTo} />}
      {(dialog === "new-folder" || (dialog === "rename-folder" && chosenFolder)) && (
        <NameDialog
          title={chosenFolder ? "Rename Folder" : "New Folder"}
          maxLength={80}
          intent={chosenFolder ? "rename-folder" : "create-folder"}
          submit={chosenFolder ? "Rename" : "Create Folder"}
          closeTo={closeTo}
          result={result}
          {...(chosenFolder ? { id: chosenFolder.id, value: chosenFolder.name } : {})}
        />
      )}
      {dialog === "delete-folder" && chosenFolder && (
        <ConfirmDialog
          title={`Delete the folder "${chosenFolder.name}"?`}
          description={FOLDER_DELETION}
          closeTo={closeTo}
          intent="delete-folder"
          values={{ id: chosenFolder.id }}
          fields={<KeepFiles />}
          confirmLabel="Delete Folder"
        />
      )}
    </div>
  );
}

const EMPTY = {
  archive: "Archive a conversation to see it here.",
  folder: "Move a conversation into this folder, or begin one in its project.",
  gone: "Folder not found. It may have been deleted.",
  page: "The conversations of this page are gone.",
} as const;

function placeOf(
  {
    archived,
    folder,
    cursor,
  }: { archived: boolean; folder?: string | undefined; cursor?: string | undefined },
  isFolderThere: boolean,
): keyof typeof EMPTY | undefined {
  if (archived) return "archive";
  if (folder !== undefined) return isFolderThere ? "folder" : "gone";
  return cursor ? "page" : undefined;
}

interface EmptyListProps {
  q: string;
  deleted: boolean;
  /** Absent for all conversations. */
  place: keyof typeof EMPTY | undefined;
}

function EmptyList({ q, deleted, place }: EmptyListProps) {
  if (q !== "") {
    return (
      <EmptyState
        icon={<SearchX />}
        title="No messages found"
        description="Try other words, or the beginning of a word."
        action={SHOW_ALL}
      />
    );
  }
  if (deleted) {
    return (
      <EmptyState
        icon={<Trash2 />}
        title="No recently deleted conversations"
        description="Deleted conversations can be restored here for ten minutes."
        action={SHOW_ALL}
      />
    );
  }
  return (
    <EmptyState
      icon={<MessageSquare />}
      title={place ? "No conversations here" : "No conversations yet"}
      description={place ? EMPTY[place] : "Start one with any model."}
      action={place ? SHOW_ALL : <LinkButton to="/chat">New Chat</LinkButton>}
    />
  );
}

const SHOW_ALL = <LinkButton to="/chat/all">Show All Conversations</LinkButton>;
