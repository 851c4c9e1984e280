import { FilePlus2, Search } from "lucide-react";
import { LinkButton } from "~/ui/button";
import type { ListView } from "../screens/rag-screen.schema";
import { ragAddress } from "./addresses";

export function HeaderActions({ view, refusal }: { view: ListView; refusal: string | undefined }) {
  return (
    <>
      <LinkButton
        to={ragAddress(view, { dialog: "search" })}
        preventScrollReset
        icon={<Search aria-hidden="true" />}
      >
        Search
      </LinkButton>
      {refusal ? (
        <p className="text-muted text-xs">{refusal}</p>
      ) : (
        <LinkButton
          to={ragAddress(view, { dialog: "ingest", tab: "text" })}
          preventScrollReset
          variant="primary"
          icon={<FilePlus2 aria-hidden="true" />}
        >
          Ingest Document
        </LinkButton>
      )}
    </>
  );
}
