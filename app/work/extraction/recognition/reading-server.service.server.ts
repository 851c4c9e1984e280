import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { drawnFields } from "~/core/field.schema";
import { clip } from "~/core/well-formed";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { recognition } from "~/platform/settings/groups/recognition.schema";
import { pickChanges, readSettings, updateSettings } from "~/platform/settings/settings.service.server";
import { keyKind, keyRefusal, listKeyReferences } from "~/team/keys/keys.service.server";
import { type KeyUse, keyLabel } from "~/team/keys/keys.shared";
import { installedLanguages } from "./languages.server";
import type { ReadingTest, RecognitionInput, RecognitionSettings } from "./reading-server.schema";
import { KEY_KINDS, nameOf, originOf, readingServer, recognizeAtServer } from "./reading-server.server";
import { TEST_PICTURE, TEST_WORDS } from "./test-picture";

export function readRecognition(actor: Actor): RecognitionSettings {
  authorise(actor, "settings.manage");
  return readSettings(actor.orgId, "recognition");
}

const isUsableKind = (kind: string | undefined) => KEY_KINDS.some((usable) => usable === kind);

function refuseField(field: keyof RecognitionSettings, message: string): never {
  throw new AppError("invalid", message, { fields: { [field]: [message] } });
}

/** @throws AppError `invalid` with the field, if the chosen server can't be called */
function assertUsable(orgId: string, { reader, address, keyId }: RecognitionSettings): void {
  if (reader === "off" || reader === "builtin") return;
  if (address === "") refuseField("address", "Enter the server's address.");
  const { search, hash, origin } = new URL(address);
  if (search || hash) refuseField("address", "Enter an address without a query and without #.");
  if (keyId === "") return;
  if (!isUsableKind(keyKind(orgId, keyId))) refuseField("keyId", "Choose a key reference from the list.");
  const refused = keyRefusal(orgId, keyId, origin);
  if (refused) refuseField("keyId", refused);
}

/**
 * Changes the settings of scanned pages. Naming a server is consent to send it the pictures of pages: another kind or
 * origin has an audit entry of its own.
 *
 * @throws AppError `forbidden`; `invalid` by field
 */
export function saveRecognition(actor: Actor, input: RecognitionInput): RecognitionSettings {
  const { orgId } = actor;
  return transaction((tx) => {
    const before = readingServer(orgId);
    const { values } = updateSettings(actor, "recognition", input);
    assertUsable(orgId, values);
    const after = readingServer(orgId);
    if (after && !(before?.kind === after.kind && originOf(before) === originOf(after))) {
      append(tx, actor, {
        action: "recognition.agreed",
        resource: "settings:recognition",
        details: { reader: nameOf(after), origin: originOf(after) },
      });
    }
    return values;
  });
}

/** Saves the form, whose unchanged fields aren't stored as choices. @throws AppError as `saveRecognition` */
export function saveRecognitionForm(actor: Actor, sent: RecognitionSettings): RecognitionSettings {
  authorise(actor, "settings.manage");
  return saveRecognition(actor, pickChanges(actor, "recognition", sent));
}

/** The form with the keys to choose from, the server that pages are sent to now, and what the built-in reader can read. */
export function readRecognitionForm(actor: Actor) {
  const values = readRecognition(actor);
  const server = readingServer(actor.orgId);
  const keys = listKeyReferences(actor)
    .filter(({ provider }) => isUsableKind(provider))
    .map((key) => ({ value: key.id, label: keyLabel(key) }));
  const options = [{ value: "", label: "None" }, ...keys];
  const fields = drawnFields({
    ...recognition.fields,
    keyId: { ...recognition.fields.keyId, control: { kind: "select", options } },
  });
  return {
    values,
    fields,
    server: server && { name: nameOf(server), origin: originOf(server) },
    languages: installedLanguages(),
  };
}

/** Limit of time for a test (ms): a person waits for it. */
const TEST_TIMEOUT = 60_000;
/** Characters of the read text that a test shows. */
const SHOWN = 200;

/** Sends a small picture with two words to the saved server. @throws AppError `conflict` if none is chosen */
export async function testReadingServer(actor: Actor, signal?: AbortSignal): Promise<ReadingTest> {
  authorise(actor, "settings.manage");
  const server = readingServer(actor.orgId);
  if (!server)
    throw new AppError("conflict", "No server is chosen. Choose Docling, Tika or Mistral, and save.");
  try {
    const read = await recognizeAtServer({ ...server, timeoutMs: TEST_TIMEOUT }, TEST_PICTURE, signal);
    const text = clip(read, SHOWN);
    const [name, host] = [nameOf(server), new URL(server.address).host];
    const ok = read.replace(/\s+/g, " ").includes(TEST_WORDS);
    if (ok) return { ok, text, message: `${name} at ${host} read the test picture.` };
    const tesseract = server.kind === "tika" ? " Tika needs Tesseract beside it, as in its full image." : "";
    const message = read
      ? `${name} at ${host} answered, but didn't read "${TEST_WORDS}" in the test picture.`
      : `${name} at ${host} answered, but found no text in the test picture.${tesseract}`;
    return { ok, text, message };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ok: false, text: null, message: error.message };
  }
}

export function recognitionKeyUses(orgId: string): KeyUse[] {
  const server = readingServer(orgId);
  if (!server?.keyId) return [];
  const { keyId, address } = server;
  return [{ keyId, kind: "Scanned pages", name: new URL(address).host, to: "/rag?panel=settings" }];
}
