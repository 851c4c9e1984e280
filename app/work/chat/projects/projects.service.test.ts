import { afterEach, beforeEach, expect, it } from "vitest";
import { removeMember as removeFromOrganization } from "~/console/offboarding/offboarding.service.server";
import type { Actor } from "~/core/actor";
import { rawDatabase, transaction } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { patchDocument } from "~/work/documents/document-changes.service.server";
import {
  areVisibleTo,
  areVisibleToAll,
  getDocument,
  listDocuments,
} from "~/work/documents/documents.service.server";
import type { UploadPart } from "~/work/documents/ingestion/ingest.schema";
import { cancelDocument } from "~/work/documents/jobs/work.service.server";
import { deleteDocument } from "~/work/documents/removal/document-removal.service.server";
import { PersonaInput } from "~/work/personas/personas.schema";
import { createPersona } from "~/work/personas/personas.service.server";
import { listResources, readResource } from "~/work/plugins/mcp-endpoint/console-documents.server";
import { permitted } from "~/work/search/retrieval/chunks.queries";
import type { SearchTask } from "~/work/search/retrieval/search-task";
import { users } from "~db/schema";
import { ORG_ID, openTestDatabase } from "../../../../tests/support/database";
import { addVersion } from "../../../../tests/support/documents";
import { insertConversation } from "../chat.repo.server";
import { readConversation } from "../conversations.service.server";
import { changeConversation, listNavigation } from "../list/list.service.server";
import { prepare } from "../plan-answer.server";
import { isSharedByOther } from "../shares/shared-conversations.service.server";
import {
  addFiles,
  createFolder,
  deleteFile,
  deleteFolder,
  listFolders,
  putMember,
  readProject,
  removeMember,
  updateFolder,
} from "./projects.service.server";

let test: ReturnType<typeof openTestDatabase>;
/** The organization's owner, the project's (`member`), an editor, a viewer and a stranger, all members here. */
let people: Record<"boss" | "owner" | "editor" | "viewer" | "stranger", Actor>;
beforeEach(() => {
  test = openTestDatabase();
  const add = (id: string): Actor => {
    transaction((tx) =>
      tx
        .insert(users)
        .values({
          id,
          orgId: ORG_ID,
          email: `${id}@example.org`,
          role: "member",
          status: "active",
          createdAt: 1,
          updatedAt: 1,
        })
        .run(),
    );
    return { ...test.actors.member, userId: id };
  };
  people = {
    boss: test.actors.owner,
    owner: test.actors.member,
    editor: add("usr_editor"),
    viewer: add("usr_viewing"),
    stranger: add("usr_stranger"),
  };
});
afterEach(() => test.close());

async function* parts(name: string): AsyncGenerator<UploadPart> {
  const bytes = (async function* () {
    yield Buffer.from("Berth 4 is closed in May.");
  })();
  yield { kind: "file", fileName: name, contentType: "text/plain", bytes };
}

/** A project with an editor, a viewer and one file that is ready. */
async function makeProject() {
  const { id } = createFolder(people.owner, { name: "Harbor" });
  putMember(people.owner, id, { userId: people.editor.userId, role: "editor" });
  putMember(people.owner, id, { userId: people.viewer.userId, role: "viewer" });
  const { files } = await addFiles(people.editor, id, parts("plan.txt"));
  const file = String(files[0]?.id);
  rawDatabase().prepare("UPDATE documents SET status = 'ready' WHERE id = ?").run(file);
  addVersion(file, { number: 2, texts: [{ text: "Berth 4 is closed in May." }] });
  return { id, file };
}

function addConversation(id: string, { orgId, userId }: Actor): void {
  transaction((tx) =>
    insertConversation(tx, { id, orgId, userId, title: id, model: "m", createdAt: 1, updatedAt: 1 }),
  );
}

/** Whether a search may give a document's passages, as the threads decide it. */
function isFound(actor: Actor, documentId: string, folderId?: string, filters = {}): boolean {
  const { sql, values } = permitted({ ...actor, filters, folderId } as unknown as SearchTask);
  const rule = sql.replace("c.version_id = d.version_id AND ", "");
  const found = rawDatabase().prepare(`SELECT 1 FROM documents d WHERE d.id = ? AND ${rule}`);
  return found.get(documentId, ...values) !== undefined;
}

const allows = (act: () => unknown): boolean => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};

const RIGHTS = {
  "lists it": ["owner", "editor", "viewer"],
  "reads it": ["owner", "editor", "viewer"],
  "changes instructions": ["owner", "editor"],
  "renames it": ["owner"],
  "adds members": ["owner"],
  "opens its files": ["owner", "editor", "viewer"],
  "reads its files through MCP": ["owner", "editor", "viewer"],
  "finds its files in its conversations": ["owner", "editor", "viewer"],
  "renames its files": ["owner", "editor"],
  "may replace and delete its files": ["owner", "editor"],
  "searches in one of its files": ["owner", "editor", "viewer"],
  "finds its files elsewhere": [],
  "finds its files in another's folder": [],
  "sees quotations of its files in what is shared": ["owner", "editor", "viewer"],
  "lists its files among all documents": [],
  "lists its files through MCP": [],
  "moves conversations in": ["owner", "editor", "viewer"],
  "is answered with its instructions": ["owner", "editor", "viewer"],
  "reads others' conversations in it": [],
} as const;

it("gives each person of a project exactly their rights, and others none", async () => {
  const { id, file } = await makeProject();
  updateFolder(people.owner, id, { instructions: "Answer briefly." });
  for (const [name, actor] of Object.entries(people)) addConversation(`con_${name}`, actor);
  changeConversation(people.owner, "con_owner", { folderId: id });
  const listed = async (actor: Actor) =>
    (await listDocuments(actor, { limit: 50 })).documents.some((document) => document.id === file);
  const offered = async (actor: Actor) =>
    (await listResources(actor, undefined)).resources.some(({ uri }) => uri.includes(file));
  const system = (actor: Actor) => prepare(actor, { folderId: id, maxSteps: 1, tools: [] }).system;
  const checks: Record<keyof typeof RIGHTS, (actor: Actor, name: string) => boolean | Promise<boolean>> = {
    "lists it": (actor) => listFolders(actor).some((folder) => folder.id === id),
    "reads it": (actor) => allows(() => readProject(actor, id)),
    "changes instructions": (actor, name) =>
      allows(() => updateFolder(actor, id, { instructions: `By ${name}` })),
    "renames it": (actor, name) => allows(() => updateFolder(actor, id, { name })),
    "adds members": (actor) => allows(() => putMember(actor, id, { userId: "usr_editor", role: "editor" })),
    "opens its files": (actor) => allows(() => getDocument(actor, file)),
    "reads its files through MCP": (actor) => allows(() => readResource(actor, `document:///${file}`)),
    "finds its files in its conversations": (actor) => isFound(actor, file, id),
    "renames its files": (actor) => allows(() => patchDocument(actor, file, { name: "berths.txt" })),
    "may replace and delete its files": (actor) =>
      allows(() => getDocument(actor, file)) && getDocument(actor, file).mayManage,
    "searches in one of its files": (actor) => isFound(actor, file, undefined, { documentId: file }),
    "finds its files elsewhere": (actor) => isFound(actor, file),
    "finds its files in another's folder": (actor) => isFound(actor, file, "fld_other"),
    "sees quotations of its files in what is shared": (actor) => areVisibleTo(actor, [file]),
    "lists its files among all documents": listed,
    "lists its files through MCP": offered,
    "moves conversations in": (actor, name) =>
      allows(() => changeConversation(actor, `con_${name}`, { folderId: id })),
    "is answered with its instructions": (actor) => system(actor) !== undefined,
    "reads others' conversations in it": (actor) =>
      actor !== people.owner &&
      (allows(() => readConversation(actor, "con_owner")) || isSharedByOther(actor, "con_owner")),
  };
  const found: Record<string, string[]> = {};
  for (const [right, has] of Object.entries(checks)) {
    found[right] = [];
    for (const [name, actor] of Object.entries(people)) if (await has(actor, name)) found[right].push(name);
  }
  expect(found).toEqual(RIGHTS);
  expect(areVisibleToAll(people.owner, [file])).toBe(false);
});

it("tells the model a project's instructions after the persona's, and begins with the project's persona", () => {
  const { id } = createFolder(people.owner, { name: "Harbor" });
  const input = PersonaInput.parse({
    name: "Pilot",
    systemPrompt: "You are a pilot.",
    visibility: "everyone",
  });
  const persona = createPersona(people.owner, input);
  updateFolder(people.owner, id, { instructions: "Answer briefly.", personaId: persona.id });
  const prepared = prepare(people.owner, { folderId: id, persona: persona.id, maxSteps: 1, tools: [] });
  expect(prepared.system).toBe("You are a pilot.\n\nAnswer briefly.");
  expect(prepared.plan.folderId).toBe(id);
  expect(() => updateFolder(people.owner, id, { personaId: "per_none" })).toThrow("persona that you can see");
});

it("refuses to overwrite what another editor saved, and members who can't use the chat", () => {
  const { id } = createFolder(people.owner, { name: "Harbor" });
  putMember(people.owner, id, { userId: people.editor.userId, role: "editor" });
  const { version } = readProject(people.owner, id);
  updateFolder(people.editor, id, { instructions: "By the editor", version });
  const late = () => updateFolder(people.owner, id, { instructions: "By the owner", version });
  expect(late).toThrow("The project changed since you opened it. What you entered differs in: Instructions.");
  expect(readProject(people.owner, id).instructions).toBe("By the editor");
  updateFolder(people.owner, id, {
    instructions: "By the owner",
    version: readProject(people.owner, id).version,
  });
  rawDatabase().prepare("UPDATE users SET role = 'viewer' WHERE id = ?").run(people.stranger.userId);
  const put = () => putMember(people.owner, id, { userId: people.stranger.userId, role: "viewer" });
  expect(put).toThrow("Choose someone who can use the chat: viewers can't.");
});

it("takes a removed member's conversations out, and their access at once", async () => {
  const { id, file } = await makeProject();
  addConversation("con_viewer", people.viewer);
  changeConversation(people.viewer, "con_viewer", { folderId: id });
  expect(listNavigation(people.viewer).folders).toMatchObject([{ id, name: "Harbor", role: "viewer" }]);
  expect(() => removeMember(people.editor, id, people.viewer.userId)).toThrow("Only the project's owner");
  removeMember(people.owner, id, people.viewer.userId);
  expect(readConversation(people.viewer, "con_viewer").folderId).toBeNull();
  expect(isFound(people.viewer, file, id)).toBe(false);
  expect(() => getDocument(people.viewer, file)).toThrow("not found");
  removeMember(people.editor, id, people.editor.userId);
  expect(listFolders(people.editor)).toEqual([]);
  expect(getDocument(people.owner, file).name).toBe("plan.txt");
  const entries = listAudit(people.boss, { limit: 50 }).entries.map(({ action }) => action);
  expect(entries).toEqual(
    expect.arrayContaining([
      "conversation_folder.left",
      "conversation_folder.member_removed",
      "conversation_folder.member_added",
    ]),
  );
});

it("keeps a project's instructions out of the audit trail", () => {
  const { id } = createFolder(people.owner, { name: "Harbor" });
  updateFolder(people.owner, id, { instructions: "The secret plan" });
  const [entry] = listAudit(people.boss, { limit: 1 }).entries;
  expect(entry).toMatchObject({
    action: "conversation_folder.updated",
    details: { fields: ["instructions"] },
  });
  expect(JSON.stringify(entry)).not.toContain("secret");
});

it("deletes a project's files with it, or leaves them to its owner alone", async () => {
  const first = await makeProject();
  addConversation("con_owner", people.owner);
  changeConversation(people.owner, "con_owner", { folderId: first.id });
  expect(() => deleteFolder(people.editor, first.id)).toThrow("Only the project's owner");
  deleteFolder(people.owner, first.id);
  expect(readConversation(people.owner, "con_owner").folderId).toBeNull();
  expect(() => getDocument(people.owner, first.file)).toThrow("not found");
  const second = await makeProject();
  deleteFolder(people.owner, second.id, { keepFiles: true });
  expect(getDocument(people.owner, second.file).visibility).toBe("named");
  expect(isFound(people.owner, second.file)).toBe(true);
  expect(allows(() => getDocument(people.editor, second.file))).toBe(false);
});

it("gives an admin who only views a project no more rights in its files than other viewers", async () => {
  const { id, file } = await makeProject();
  putMember(people.owner, id, { userId: people.boss.userId, role: "viewer" });
  expect(getDocument(people.boss, file).mayManage).toBe(false);
  expect(() => deleteDocument(people.boss, file)).toThrow("Only the project's owner and its editors");
  expect(() => patchDocument(people.boss, file, { category: "Uncategorized" })).toThrow("Only the project's");
  expect(() => cancelDocument(people.boss, file)).toThrow("Only the project's");
});

it("lets editors delete files of the project alone, and nobody widen who sees one", async () => {
  const { id, file } = await makeProject();
  const other = await makeProject2();
  expect(() => deleteFile(people.editor, id, other)).toThrow("not found");
  expect(() => deleteFile(people.viewer, id, file)).toThrow("Only the project's owner and its editors");
  expect(() => patchDocument(people.owner, file, { visibility: "organisation" })).toThrow(
    "file of a project",
  );
  expect(() => patchDocument(people.owner, file, { readers: ["usr_stranger"] })).toThrow("file of a project");
  expect(deleteFile(people.editor, id, file)).toMatchObject({ name: "plan.txt" });
  expect(readProject(people.owner, id).files).toEqual([]);
});

it("takes no file of an editor who is removed while it is sent", async () => {
  const { id } = await makeProject();
  async function* sent(): AsyncGenerator<UploadPart> {
    async function* bytes() {
      yield Buffer.from("Berth 5 ");
      removeMember(people.owner, id, people.editor.userId);
      yield Buffer.from("is closed.");
    }
    yield { kind: "file", fileName: "late.txt", contentType: "text/plain", bytes: bytes() };
  }
  await expect(addFiles(people.editor, id, sent())).rejects.toThrow("Folder not found");
  // As of an upload that was cut off: the owner sees that it came to nothing.
  expect(readProject(people.owner, id).files).toMatchObject([{ status: "failed" }, { status: "ready" }]);
});

/** Another one of the same owner, without members. @returns its file */
async function makeProject2(): Promise<string> {
  const { id } = createFolder(people.owner, { name: "Docks" });
  const { files } = await addFiles(people.owner, id, parts("plan.txt"));
  // The same content is another project's file, which this one's people may not see.
  expect(files).toMatchObject([{ duplicateOf: null, sameNameAs: null }]);
  return String(files[0]?.id);
}

it("hands a project over or deletes it when its owner leaves, and ends memberships", async () => {
  const { id, file } = await makeProject();
  createFolder(people.editor, { name: "Harbor" });
  removeFromOrganization(people.boss, people.viewer.userId, {} as never);
  expect(readProject(people.owner, id).members.map((member) => member.id)).toEqual(["usr_editor"]);
  removeFromOrganization(people.boss, people.owner.userId, { projects: people.editor.userId } as never);
  const project = readProject(people.editor, id);
  expect(project).toMatchObject({ role: "owner", name: "Harbor (2)", members: [], files: [{ id: file }] });
  expect(getDocument(people.editor, file).createdBy.id).toBe(people.editor.userId);
  removeFromOrganization(people.boss, people.editor.userId, { projects: "delete" } as never);
  const left = rawDatabase().prepare("SELECT count(*) FROM documents WHERE deleted_at IS NULL").pluck().get();
  expect(left).toBe(0);
});
