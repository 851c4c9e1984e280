import { endpoint, resource } from "~/http/resource.server";
import { OfferAnswer, OfferDecision } from "~/work/index/consent/consent.schema";
import { decideOnOffer, readEmbeddingOffer } from "~/work/index/embedding-offer.service.server";

const route = resource({
  path: "/api/rag/embedding-offer",
  tag: "Documents",
  GET: endpoint({
    summary: "Get the offer of a better embedding model, with its origin, chunks and likely cost",
    description:
      "Documents are sent to a provider only after an admin agreed to that provider, origin and model.",
    access: "settings.manage",
    response: OfferAnswer,
    handle: ({ actor }) => readEmbeddingOffer(actor),
  }),
  POST: endpoint({
    summary: "Answer the offer",
    description: "Returns the resulting offer. 409 if the offer has changed since it was read.",
    access: "settings.manage",
    body: OfferDecision,
    response: OfferAnswer,
    handle: ({ actor, body }) => decideOnOffer(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
