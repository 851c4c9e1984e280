import { OfferAnswer, OfferDecision } from "~/features/knowledge/consent/consent.schema";
import { decideOnOffer, readEmbeddingOffer } from "~/features/knowledge/embedding-offer.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/rag/embedding-offer",
  tag: "Documents",
  GET: endpoint({
    summary: "A better embedding model than the built-in one, with its place, chunks and likely cost",
    description:
      "Documents are sent to a provider only after an admin agreed to that provider, origin and model.",
    access: "settings.manage",
    response: OfferAnswer,
    handle: ({ actor }) => readEmbeddingOffer(actor),
  }),
  POST: endpoint({
    summary: "Decide about the offer as it was read",
    description: "Answers what is offered then. 409 where the offer has changed since it was read.",
    access: "settings.manage",
    body: OfferDecision,
    response: OfferAnswer,
    handle: ({ actor, body }) => decideOnOffer(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
