import { Webhook as Standard } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import { assert, runCases, thrownBy } from "./cases.mjs";

/** The secret of both sides, a trigger's address, and a call that the console sent. */
const { SECRET, HOOK, SENT_BODY, SENT_HEADERS } = process.env;

async function sign(Library, names = "webhook") {
  const body = '{"n": 1}';
  const id = `msg_${names}_${Library === Svix ? "svix" : "standard"}`;
  const now = new Date();
  const headers = {
    "content-type": "application/json",
    [`${names}-id`]: id,
    [`${names}-timestamp`]: String(Math.floor(now.getTime() / 1000)),
    [`${names}-signature`]: new Library(SECRET).sign(id, now, body),
  };
  const accepted = await fetch(HOOK, { method: "POST", headers, body });
  assert(accepted.status === 202, await accepted.text());
  const again = await fetch(HOOK, { method: "POST", headers, body });
  assert((await again.json()).repeated === true, "A repeated attempt started another run.");
  const forged = await fetch(HOOK, { method: "POST", headers, body: '{"n": 2}' });
  assert(forged.status === 401, await forged.text());
}

async function verify(Library) {
  const headers = JSON.parse(SENT_HEADERS);
  const library = new Library(SECRET);
  library.verify(SENT_BODY, headers);
  const refused = await thrownBy(async () => library.verify(`${SENT_BODY} `, headers));
  assert(refused instanceof Error, refused);
}

await runCases({
  "standardwebhooks signs": () => sign(Standard),
  "standardwebhooks verifies": () => verify(Standard),
  "svix signs": () => sign(Svix),
  "svix signs by its own names": () => sign(Svix, "svix"),
  "svix verifies": () => verify(Svix),
});
