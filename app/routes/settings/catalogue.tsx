import { useLoaderData } from "@remix-run/react";
import { Library } from "lucide-react";
import { CatalogueView } from "~/ai/models/catalogue.schema";
import { viewCatalogue } from "~/ai/models/catalogue.service.server";
import { CatalogueFilter, CatalogueTable } from "~/ai/models/components/catalogue-table";
import { screen } from "~/http/screen.server";
import { LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { countOf } from "~/ui/format";
import { BackLink, pageTitle, SectionHeader } from "~/ui/page-header";
import { RelativeTime } from "~/ui/time";

export const meta = pageTitle("Catalog", "Settings");

const { loader } = screen({
  access: "providers.manage",
  query: CatalogueView,
  load: ({ actor, query }) => ({ view: query, ...viewCatalogue(actor, query) }),
});

export { loader };

export default function Catalogue() {
  const { view, models, total, page, pages, makers, pricesAt } = useLoaderData<typeof loader>();
  const to = (change: Partial<CatalogueView>) => {
    const all = Object.entries({ ...view, page: 1, ...change }).filter(([, value]) => value !== "");
    return `?${new URLSearchParams(all.map(([name, value]) => [name, String(value)]))}`;
  };
  return (
    <section aria-labelledby="catalogue" className="flex flex-col gap-4">
      <SectionHeader
        id="catalogue"
        title="Model Catalog"
        subtitle={
          <>
            {countOf(total, "model")} with context length and prices per 1M tokens
            {pricesAt && (
              <>
                {" "}
                as of <RelativeTime at={pricesAt} style="date" />
              </>
            )}
            .
          </>
        }
        actions={<BackLink to="/settings/providers">Providers</BackLink>}
      />
      <CatalogueFilter view={view} makers={makers} />
      {models.length === 0 ? (
        <EmptyState
          icon={<Library />}
          title="No models found"
          description="Try adjusting your search or filter criteria."
          action={
            <LinkButton to="?" preventScrollReset>
              Show All Models
            </LinkButton>
          }
        />
      ) : (
        <CatalogueTable models={models} view={view} sortTo={(sort, order) => to({ sort, order })} />
      )}
      {pages > 1 && (
        <nav aria-label="Pages" className="flex flex-wrap items-center gap-3">
          {page > 1 && <LinkButton to={to({ page: page - 1 })}>Previous</LinkButton>}
          <span className="text-muted tabular-nums">
            Page {page} of {pages}
          </span>
          {page < pages && <LinkButton to={to({ page: page + 1 })}>Next</LinkButton>}
        </nav>
      )}
    </section>
  );
}
