import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import type { OfferedProvider } from "./catalogue.schema";
import { listProviderRows } from "./models.repo.server";
import { foundOllama } from "./ollama-detection.server";
import { localOllama } from "./providers/local-ollama.provider.server";

export { lookForOllama } from "./ollama-detection.server";

/** Model servers that were found on this host and aren't set up: an admin confirms one by setting it up. */
export function offeredProviders(actor: Actor): OfferedProvider[] {
  authorise(actor, "providers.manage");
  if (listProviderRows(db(), actor.orgId).some((row) => row.type === localOllama.value)) return [];
  const found = foundOllama();
  if (!found) return [];
  return [{ provider: localOllama.value, displayName: "Ollama on this host", ...found }];
}
