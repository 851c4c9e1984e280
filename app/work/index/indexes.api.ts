import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { OfferAnswer, OfferDecision } from "./consent/consent.schema";
import { decideOnOffer, readEmbeddingOffer } from "./embedding-offer.service.server";
import { IndexId, RagStatus, SearchIndex } from "./indexes.schema";
import { cancelIndex, rebuildIndex } from "./indexes.service.server";
import { ragStatus } from "./rag-status.service.server";

export const indexesApi = endpoints("Documents", [
  endpoint({
    method: "GET",
    path: "/api/rag/embedding-offer",
    summary: "Get the offer of a better embedding model, with its origin, chunks and likely cost",
    description:
      "Documents are sent to a provider only after an admin agreed to that provider, origin and model.",
    access: "settings.manage",
    response: OfferAnswer,
    handle: ({ actor }) => readEmbeddingOffer(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/embedding-offer",
    summary: "Answer the offer",
    description: "Returns the resulting offer. 409 if the offer has changed since it was read.",
    access: "settings.manage",
    body: OfferDecision,
    response: OfferAnswer,
    handle: ({ actor, body }) => decideOnOffer(actor, body),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/indexes/{id}/cancel",
    summary: "Cancel an index build",
    description: "The current index stays in use.",
    access: "settings.manage",
    params: IndexId,
    response: SearchIndex,
    handle: ({ actor, params }) => cancelIndex(actor, params.id),
  }),
  endpoint({
    method: "POST",
    path: "/api/rag/rebuild",
    summary: "Rebuild the search index with the current settings",
    description:
      "The current index is used until the new one is complete, which then takes over by itself. If the current one " +
      "already has the current settings, every chunk is embedded again.",
    access: "settings.manage",
    response: SearchIndex,
    handle: ({ actor }) => rebuildIndex(actor),
  }),
  endpoint({
    method: "GET",
    path: "/api/rag/status",
    summary: "Get the vector store, embedding model and indexes in effect",
    access: "screens.read",
    response: RagStatus,
    handle: ({ actor }) => ragStatus(actor),
  }),
]);
