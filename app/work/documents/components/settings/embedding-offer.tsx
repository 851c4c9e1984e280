import { Form, useNavigation } from "@remix-run/react";
import { Button } from "~/ui/button";
import { countOf, formatCost, formatCount } from "~/ui/format";
import type { EmbeddingOffer, OfferDecision } from "~/work/index/consent/consent.schema";
import { useChangesAddress } from "../addresses";

export function EmbeddingOfferCard({ offer }: { offer: EmbeddingOffer }) {
  const { formData } = useNavigation();
  const changes = useChangesAddress();
  const button = (decision: OfferDecision["decision"], label: string) => (
    <Button size="sm" name="decision" value={decision} pending={formData?.get("decision") === decision}>
      {label}
    </Button>
  );
  return (
    <section
      aria-labelledby="embedding-offer"
      className="flex flex-col gap-2 rounded-md border border-line px-3 py-2.5"
    >
      <p id="embedding-offer" className="font-medium">
        Better embedding model available
      </p>
      <SendingFacts offer={offer} />
      <p className="text-muted text-xs">
        Rebuild sends every document, including restricted ones, and later every search to this provider. The
        current index answers until the new one is complete.
      </p>
      <Form method="post" action={changes} preventScrollReset className="flex flex-wrap gap-2">
        <input type="hidden" name="intent" value="embedding-offer" />
        <input type="hidden" name="providerId" value={offer.providerId} />
        <input type="hidden" name="origin" value={offer.origin} />
        <input type="hidden" name="model" value={offer.model} />
        {button("rebuild", "Rebuild")}
        {!offer.postponed && button("postpone", "Not Now")}
      </Form>
    </section>
  );
}

/** What is sent where, and what that costs. */
export function SendingFacts({ offer }: { offer: EmbeddingOffer }) {
  const { model, provider, host, local, chunks, tokens } = offer;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
      <dt className="text-muted">Model</dt>
      <dd className="wrap-anywhere">{model}</dd>
      <dt className="text-muted">Provider</dt>
      <dd className="wrap-anywhere">{provider}</dd>
      <dt className="text-muted">Sent to</dt>
      <dd className="wrap-anywhere">
        {host}
        {local && ", on this machine"}
      </dd>
      <dt className="text-muted">Documents</dt>
      <dd>
        {countOf(chunks, "chunk")}, about {formatCount(tokens)} tokens
      </dd>
      <dt className="text-muted">Likely cost</dt>
      <dd>{costLabel(offer)}</dd>
    </dl>
  );
}

function costLabel({ costMicros, local }: EmbeddingOffer): string {
  if (costMicros === null) return "Unknown price";
  if (costMicros > 0) return `About ${formatCost(costMicros)}`;
  return local ? "Free, on this machine" : "Free";
}
