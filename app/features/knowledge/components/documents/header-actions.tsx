import { ChevronDown, FilePlus2, FileText, FileUp, FlaskConical, Globe, Search, Tags } from "lucide-react";
import { LinkButton } from "~/ui/button";
import { Menu, MenuLink, MenuSeparator } from "~/ui/menu";
import type { ListView } from "../../screens/rag-screen.schema";
import { ragAddress } from "./addresses";

export function HeaderActions({ view, refusal }: { view: ListView; refusal: string | undefined }) {
  const icon = <FilePlus2 aria-hidden="true" />;
  const to = (tab: string) => ragAddress(view, { dialog: "ingest", tab });
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
        <span className="flex">
          <LinkButton
            to={to("text")}
            preventScrollReset
            variant="primary"
            icon={icon}
            className="rounded-r-none"
          >
            Ingest Document
          </LinkButton>
          <Menu
            label="More ways to ingest"
            button={<ChevronDown aria-hidden="true" className="size-4" />}
            buttonClassName="grid min-h-9 w-9 cursor-pointer place-items-center rounded-r-md border-on-solid/25 border-l bg-primary-solid text-on-solid shadow-card hover:bg-primary-solid-hover pointer-coarse:min-h-11 pointer-coarse:w-11"
          >
            <MenuLink to={to("file")} icon={<FileUp />}>
              Ingest files
            </MenuLink>
            <MenuLink to={to("url")} icon={<Globe />}>
              Ingest a URL
            </MenuLink>
            <MenuLink to={to("text")} icon={<FileText />}>
              Ingest text
            </MenuLink>
            <MenuSeparator />
            <MenuLink to="/rag/check" icon={<FlaskConical />}>
              Retrieval check
            </MenuLink>
            <MenuLink to="/rag/categories" icon={<Tags />}>
              Manage categories
            </MenuLink>
          </Menu>
        </span>
      )}
    </>
  );
}
