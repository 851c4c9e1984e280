import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { toDisplayText } from "~/core/well-formed";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { listColleagues } from "~/team/members/member-names.service.server";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog, RecordDialog } from "~/ui/confirm-dialog";
import { countOf } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { NameDialog } from "~/ui/name-dialog";
import { usePageAddress } from "~/ui/page-address";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { FOLDER_DELETION, KeepFiles } from "~/work/chat/components/list/list-dialogs";
import {
  ProjectBasics,
  ProjectFiles,
  ProjectMembers,
  ProjectMemories,
} from "~/work/chat/components/project-cards";
import { MemoryDialogs } from "~/work/chat/memories/components/memory-list";
import { MEMORY_LENGTH, MemoryInput } from "~/work/chat/memories/memories.schema";
import {
  addMemory,
  changeMemory,
  forgetMemory,
  isMemoryAllowed,
  listProjectMemories,
} from "~/work/chat/memories/memories.service.server";
import { DeletionInput, FolderInput, MemberInput, ProjectForm } from "~/work/chat/projects/projects.schema";
import {
  addFiles,
  deleteFile,
  deleteFolder,
  putMember,
  readProject,
  removeMember,
  updateFolder,
} from "~/work/chat/projects/projects.service.server";
import { UPLOAD_LIMITS } from "~/work/documents/ingestion/ingest.schema";
import { ACCEPTED_FILES } from "~/work/extraction/formats.shared";
import { listPersonas } from "~/work/personas/personas.service.server";

export const meta = pageTitle("Project");

const { loader, action } = screen({
  access: "chat.use",
  load: ({ actor, params: { folderId = "" } }) => {
    const project = readProject(actor, folderId);
    const colleagues = project.role === "owner" ? listColleagues(actor, "chat.use") : [];
    return {
      project,
      people: colleagues.filter(
        ({ id }) => id !== actor.userId && !project.members.some((member) => member.id === id),
      ),
      personas: listPersonas(actor).map(({ id, name }) => ({ id, name })),
      memories: listProjectMemories(actor, folderId),
      memory: { isAllowed: isMemoryAllowed(actor), length: MEMORY_LENGTH },
    };
  },
  actions: {
    save: intent({
      access: "chat.use",
      input: ProjectForm,
      run: ({ actor, params: { folderId = "" }, input }) => updateFolder(actor, folderId, input),
      done: "Project saved",
    }),
    "rename-folder": intent({
      access: "chat.use",
      input: FolderInput,
      run: ({ actor, params: { folderId = "" }, input }) => updateFolder(actor, folderId, input),
      done: ({ name }) => `Project renamed to "${name}"`,
    }),
    "put-member": intent({
      access: "chat.use",
      input: MemberInput,
      run: ({ actor, params: { folderId = "" }, input }) => putMember(actor, folderId, input),
      done: "Member saved",
    }),
    "change-role": intent({
      access: "chat.use",
      input: MemberInput,
      run: ({ actor, params: { folderId = "" }, input }) => putMember(actor, folderId, input),
      done: "Member saved",
      failed: { toast: "Couldn't change the member" },
    }),
    add: intent({
      access: "chat.use",
      input: MemoryInput,
      run: ({ actor, params: { folderId = "" }, input }) => addMemory(actor, input, folderId),
      done: "Memory added",
    }),
    edit: intent({
      access: "chat.use",
      target: "id",
      input: MemoryInput,
      run: ({ actor, target, input }) => changeMemory(actor, target, input),
      done: "Memory saved",
    }),
    forget: intent({
      access: "chat.use",
      target: "id",
      run: ({ actor, target }) => forgetMemory(actor, target),
      done: "Memory deleted",
      failed: { toast: "Couldn't delete the memory" },
    }),
    "remove-member": intent({
      access: "chat.use",
      target: "id",
      run: ({ actor, params: { folderId = "" }, target }) => removeMember(actor, folderId, target),
      done: "Member removed",
      failed: { toast: "Couldn't remove the member" },
    }),
    leave: intent({
      access: "chat.use",
      run: ({ actor, params: { folderId = "" } }) => removeMember(actor, folderId, actor.userId),
      done: ({ name }) => ({ to: "/chat/all", toast: `You left "${name}"` }),
      failed: { toast: "Couldn't leave the project" },
    }),
    "add-files": intent({
      access: "documents.write",
      upload: UPLOAD_LIMITS,
      run: ({ actor, params: { folderId = "" }, parts, context }) =>
        addFiles(actor, folderId, parts, context.closed),
      done: ({ files }) => {
        const problems = files.flatMap(({ name, error }) => (error === null ? [] : [`${name}: ${error}`]));
        const title = `${countOf(files.length - problems.length, "file")} added`;
        if (problems.length === 0) return title;
        return { toast: { kind: "error", title, description: problems.slice(0, 3).join(" ") } };
      },
      failed: { toast: "Couldn't add the files" },
    }),
    "delete-file": intent({
      access: "documents.write",
      target: "id",
      run: ({ actor, params: { folderId = "" }, target }) => deleteFile(actor, folderId, target),
      done: ({ name }) => `"${name}" deleted`,
      failed: { dialog: "Couldn't delete the file" },
    }),
    "delete-folder": intent({
      access: "chat.use",
      input: DeletionInput,
      run: ({ actor, params: { folderId = "" }, input }) => deleteFolder(actor, folderId, input),
      done: ({ name }) => ({ to: "/chat/all", toast: `Project "${name}" deleted` }),
      failed: { dialog: "Couldn't delete the project" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ showsMissing: true });

export { action, loader, shouldRevalidate };

export default function ProjectPage() {
  const { project, people, personas, memories, memory } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  useLiveTopics(["conversations", "documents"]);
  const address = usePageAddress();
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const member = project.members.find((one) => one.id === search.get("id"));
  const { id, role, owner } = project;
  const name = toDisplayText(project.name);
  const isOwner = role === "owner";
  // One action's result: the members' form alone posts a role.
  const isMember = result?.initialValue !== undefined && "role" in result.initialValue;
  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader
        title={name}
        subtitle={isOwner ? "Your project" : `Project of ${toDisplayText(owner.name)}`}
        actions={
          <>
            {isOwner && (
              <>
                <LinkButton to={address({ dialog: "rename" })} icon={<Pencil />} preventScrollReset>
                  Rename
                </LinkButton>
                <LinkButton to={address({ dialog: "delete" })} icon={<Trash2 />} preventScrollReset>
                  Delete
                </LinkButton>
              </>
            )}
            <BackLink to={`/chat/all?folder=${id}`}>Conversations</BackLink>
            <LinkButton to={`/chat?folder=${id}`} variant="primary" icon={<Plus aria-hidden="true" />}>
              New Chat
            </LinkButton>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <ProjectBasics
          key={id}
          project={project}
          personas={personas}
          result={isMember || dialog ? undefined : result}
        />
        <ProjectFiles project={project} accept={ACCEPTED_FILES} />
        <ProjectMemories project={project} memories={memories} isAllowed={memory.isAllowed} />
        <ProjectMembers
          key={`${id} ${project.members.length}`}
          project={project}
          people={people}
          result={isMember ? result : undefined}
        />
      </div>
      <MemoryDialogs
        memories={memories}
        canChange={role !== "viewer" && memory.isAllowed}
        canDelete={role !== "viewer"}
        project={name}
        maxLength={memory.length}
        closeTo={address()}
        result={result}
      />
      {dialog === "remove-member" && isOwner && (
        <RecordDialog
          record={member}
          missing="Member not found. They may have left the project."
          closeTo={address()}
        >
          {({ id: memberId, name: memberName }) => (
            <ConfirmDialog
              title={`Remove ${toDisplayText(memberName)} from the project?`}
              description="Their conversations stay with them, without the project's instructions and files."
              closeTo={address()}
              intent="remove-member"
              values={{ id: memberId }}
              confirmLabel="Remove"
            />
          )}
        </RecordDialog>
      )}
      {dialog === "delete-file" && role !== "viewer" && (
        <RecordDialog
          record={project.files.find((one) => one.id === search.get("id"))}
          missing="File not found. It may have been deleted."
          closeTo={address()}
        >
          {(file) => (
            <ConfirmDialog
              title="Delete this file?"
              description={`The project's conversations no longer find "${toDisplayText(file.name)}". The project's owner can restore it for ten minutes, under Recently Deleted of RAG & Memory.`}
              closeTo={address()}
              intent="delete-file"
              values={{ id: file.id }}
              confirmLabel="Delete"
            />
          )}
        </RecordDialog>
      )}
      {dialog === "leave" && !isOwner && (
        <ConfirmDialog
          title={`Leave the project "${name}"?`}
          description="Your conversations stay with you, without its instructions and files. Its owner can add you again."
          closeTo={address()}
          intent="leave"
          confirmLabel="Leave Project"
        />
      )}
      {dialog === "rename" && isOwner && (
        <NameDialog
          title="Rename Project"
          maxLength={80}
          intent="rename-folder"
          submit="Rename"
          value={project.name}
          closeTo={address()}
          result={result}
        />
      )}
      {dialog === "delete" && isOwner && (
        <ConfirmDialog
          title={`Delete the project "${name}"?`}
          description={FOLDER_DELETION}
          closeTo={address()}
          intent="delete-folder"
          confirmLabel="Delete Project"
          fields={<KeepFiles />}
        />
      )}
    </div>
  );
}
