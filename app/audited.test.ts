import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { argumentsOf, literalOf, propertiesOf, reachedFrom } from "../tests/support/reached-code";
import { auditSentences } from "./platform/catalogue/audit-actions";

const USAGE = "nothing is stored but its usage";
const IMPORT = "the console starts again with the backup's trail, which then says so";
const READS = "it reads";
const PREFERENCE = "a person's own preference";
const MARKS = "a person marks their own notifications";
const FILLS = "it fills in its form";
const PROBE = "it asks another server and stores nothing";
const SIGN_IN = "nothing is kept but the state of the sign-in; its end has its entry";
const ALLOWED_LATER = "it asks the server for its tools; allowing them has its entry";
const BRANCH = "it chooses which of one's own messages are shown";
const RATING = "a person's rating is content of their conversation";

/** Changing calls and forms that write no audit entry, each with the reason. */
const UNAUDITED: Record<string, string> = {
  "PUT /api/ai/conversations/{conversation}/feedback": RATING,
  "chat/page.tsx feedback": RATING,
  "chat/page.tsx unrate": RATING,
  "POST /api/ai/conversations/{conversation}/variant": BRANCH,
  "chat/page.tsx variant": BRANCH,
  "POST /api/mcp-accounts/{id}": SIGN_IN,
  "POST /api/mcp-servers/{id}/account": SIGN_IN,
  "extensions/page.tsx connect-account": SIGN_IN,
  "POST /api/mcp-servers/{id}/refresh": ALLOWED_LATER,
  "extensions/page.tsx refresh-tools": ALLOWED_LATER,
  "POST /api/notifications/channels/{channel}/test": PROBE,
  "settings/advanced.tsx test-channel": PROBE,
  "POST /api/providers/{id}/test": PROBE,
  "settings/providers.tsx test-provider": PROBE,
  "POST /api/rag/recognition/test": PROBE,
  "POST /api/guardrails/test": PROBE,
  "settings/guardrails.tsx try": PROBE,
  "rag/page.tsx test-recognition": PROBE,
  "PATCH /api/notifications/{id}": MARKS,
  "POST /api/notifications/read-all": MARKS,
  "notifications/page.tsx read": MARKS,
  "notifications/page.tsx unread": MARKS,
  "notifications/page.tsx read-all": MARKS,
  "PUT /api/notifications/preferences": PREFERENCE,
  "POST /api/notifications/push": PREFERENCE,
  "DELETE /api/notifications/push/{id}": PREFERENCE,
  "settings/profile.tsx save-notifications": PREFERENCE,
  "settings/profile.tsx connect-account": SIGN_IN,
  "settings/profile.tsx remove-browser": PREFERENCE,
  "chat/page.tsx model": PREFERENCE,
  "dashboard/page.tsx hide-first-steps": PREFERENCE,
  "POST /api/personas/try": USAGE,
  "personas/page.tsx try": USAGE,
  "POST /api/auth/authenticator": SIGN_IN,
  "POST /api/auth/passkey/options": SIGN_IN,
  "login/set-up.tsx begin": SIGN_IN,
  "login/set-up.tsx begin-passkey": SIGN_IN,
  "settings/profile.tsx begin-authenticator": SIGN_IN,
  "settings/profile.tsx begin-passkey": SIGN_IN,
  "POST /api/rag/search": READS,
  "POST /v1/chat/completions": USAGE,
  "POST /v1/responses": USAGE,
  "POST /v1/messages": USAGE,
  "POST /v1/messages/count_tokens": READS,
  "POST /v1/embeddings": USAGE,
  "POST /v1/rerank": USAGE,
  "POST /v1/images/generations": USAGE,
  "POST /v1/images/edits": USAGE,
  "POST /v1/audio/transcriptions": USAGE,
  "POST /v1/audio/speech": USAGE,
  "POST /api/ai/transcriptions": USAGE,
  "workflows/builder.tsx check": READS,
  "chat/page.tsx persona": FILLS,
  "chat/temporary.tsx persona": FILLS,
  "prompts/page.tsx fill": FILLS,
  "workflows/builder.tsx submit": FILLS,
  "setup/import.tsx submit": IMPORT,
};

const sources = readdirSync("app", { recursive: true, encoding: "utf8" }).map((file) => `app/${file}`);

const calls = sources
  .filter((file) => file.endsWith(".api.ts"))
  .flatMap((file) =>
    argumentsOf(file, "endpoint").map(({ method, path, handle }) => {
      if (!method || !path || !handle) throw new Error(`${file} declares a call without its parts.`);
      return { name: `${literalOf(method)} ${literalOf(path)}`, code: handle };
    }),
  )
  .filter(({ name }) => !name.startsWith("GET "));

const forms = sources
  .filter((file) => file.startsWith("app/routes/") && /\.tsx?$/.test(file))
  .flatMap((file) =>
    argumentsOf(file, "screen").flatMap(({ actions }) =>
      actions
        ? Object.entries(propertiesOf(actions)).map(([name, code]) => ({
            name: `${file.slice(11)} ${name}`,
            code,
          }))
        : [],
    ),
  );

const TRAIL = "app/platform/audit/audit.service.server.ts#append";
/** Its entries are of refused calls of a model, which change nothing. */
const REFUSALS = "app/ai/guardrails/guardrails.service.server.ts#guardCall";

it("what changes something writes an audit entry, or is named with the reason why it doesn't", () => {
  expect(calls.length).toBeGreaterThan(100);
  expect(forms.length).toBeGreaterThan(150);
  const silent = [...calls, ...forms].filter(({ code }) => !reachedFrom(code, REFUSALS).has(TRAIL));
  expect(silent.map(({ name }) => name).sort()).toEqual(Object.keys(UNAUDITED).sort());
});

it("each kind of entry is in a test", () => {
  const tests = ["app", "tests"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.test\.tsx?$/.test(file))
      .map((file) => readFileSync(`${folder}/${file}`, "utf8")),
  );
  const text = tests.join("\n");
  expect(Object.keys(auditSentences).filter((action) => !text.includes(`"${action}"`))).toEqual([]);
});
