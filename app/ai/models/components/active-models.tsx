import { Pencil } from "lucide-react";
import { IconLink, LinkButton } from "~/ui/button";
import { countOf, formatCount } from "~/ui/format";
import { SectionHeader } from "~/ui/page-header";
import { Cell, HeadCell, Table, TableRow } from "~/ui/table";
import type { ActiveModel } from "../catalogue.schema";
import { CapabilityList, NameCell, PriceCell } from "./model-list-parts";

const COLLAPSED_ROWS = 20;

interface ActiveModelsProps {
  models: ActiveModel[];
  showAll: boolean;
  allTo: string;
  editTo: (model: string) => string;
}

export function ActiveModels({ models, showAll, allTo, editTo }: ActiveModelsProps) {
  const visible = showAll ? models : models.slice(0, COLLAPSED_ROWS);
  const onlyBuiltIn = models.every((model) => model.first === null);
  return (
    <section aria-labelledby="active-models" className="flex flex-col gap-3">
      <SectionHeader id="active-models" title="Current Active Models" />
      {onlyBuiltIn ? (
        <div className="text-muted">
          <p>No models available. Configure providers to access models.</p>
          <p>Until then, the built-in model answers.</p>
        </div>
      ) : (
        <Table caption="Capabilities and prices" dense stacks>
          <thead>
            <tr>
              <HeadCell>Model</HeadCell>
              <HeadCell>Served by</HeadCell>
              <HeadCell>Capabilities</HeadCell>
              <HeadCell align="right">Context</HeadCell>
              <HeadCell align="right">
                <span className="whitespace-nowrap">Input / 1M</span>
              </HeadCell>
              <HeadCell align="right">
                <span className="whitespace-nowrap">Output / 1M</span>
              </HeadCell>
              <HeadCell>
                <span className="sr-only">Change</span>
              </HeadCell>
            </tr>
          </thead>
          <tbody>
            {visible.map((model) => (
              <ActiveRow key={model.id} model={model} editTo={editTo} />
            ))}
          </tbody>
        </Table>
      )}
      {visible.length < models.length && (
        <LinkButton to={allTo} preventScrollReset className="self-start">
          Show All {models.length} Models
        </LinkButton>
      )}
    </section>
  );
}

interface ActiveRowProps extends Pick<ActiveModelsProps, "editTo"> {
  model: ActiveModel;
}

function ActiveRow({ model, editTo }: ActiveRowProps) {
  const { id, name, first, providers, cost, overridden } = model;
  return (
    <TableRow>
      <NameCell name={name} id={id} className="line-clamp-2 min-w-40 max-w-64" />
      <Cell label="Served by">
        <span className="block max-w-48 truncate">{first ?? "Built-in"}</span>
        {providers > 1 && (
          <span className="whitespace-nowrap text-muted text-xs">and {providers - 1} more</span>
        )}
      </Cell>
      <Cell label="Capabilities">
        <CapabilityList model={model} hidden={model.hidden} wraps />
        {model.groups > 0 && (
          <span className="block text-muted text-xs">Limited to {countOf(model.groups, "group")}</span>
        )}
        {model.leftOut.length > 0 && (
          <span className="block text-muted text-xs">Left out of its calls: {model.leftOut.join(", ")}</span>
        )}
      </Cell>
      <Cell label="Context" align="right">
        {formatCount(model.maxTokens)}
      </Cell>
      <PriceCell label="Input / 1M" price={cost.input} note={overridden && "set here"} />
      <PriceCell label="Output / 1M" price={cost.output} note={overridden && "set here"} />
      <Cell align="right">
        {first !== null && (
          <IconLink to={editTo(id)} preventScrollReset label={`Edit ${name}`} icon={<Pencil />} />
        )}
      </Cell>
    </TableRow>
  );
}
