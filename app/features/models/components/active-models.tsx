import { Badge } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { Cell, HeadCell, Row, Table } from "~/ui/table";
import type { Model } from "../models.schema";

/** Rows before the rest is asked for. */
const FIRST = 20;

interface ActiveModelsProps {
  models: Model[];
  /** Names of the providers by id. */
  providers: Record<string, string>;
  showAll: boolean;
  allTo: string;
}

const money = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 3,
});
const count = new Intl.NumberFormat("en-US");

/** The models that can be called now. */
export function ActiveModels({ models, providers, showAll, allTo }: ActiveModelsProps) {
  const shown = showAll ? models : models.slice(0, FIRST);
  const onlyBuiltIn = models.every((model) => model.providerId === null);
  return (
    <section aria-labelledby="active-models" className="flex flex-col gap-3">
      <h2 id="active-models" className="text-md">
        Current Active Models
      </h2>
      {onlyBuiltIn && (
        <p className="text-muted">
          No models available. Configure providers to access models. Until then the built-in stand-in answers.
        </p>
      )}
      <Table caption="Current Active Models">
        <thead>
          <tr>
            <HeadCell>Model</HeadCell>
            <HeadCell>Provider</HeadCell>
            <HeadCell>Capabilities</HeadCell>
            <HeadCell align="right">Context</HeadCell>
            <HeadCell align="right">
              <span className="whitespace-nowrap">Input / 1K</span>
            </HeadCell>
            <HeadCell align="right">
              <span className="whitespace-nowrap">Output / 1K</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {shown.map((model) => (
            <Row key={model.id}>
              <Cell>
                <span className="block min-w-40">{model.name}</span>
                {model.name !== model.id && (
                  <span className="break-all font-mono text-muted text-xs">{model.id}</span>
                )}
              </Cell>
              <Cell>
                <span className="block max-w-48 truncate">
                  {model.providerId ? (providers[model.providerId] ?? model.provider) : "Built-in"}
                </span>
              </Cell>
              <Cell>
                <span className="flex min-w-52 flex-wrap gap-1">
                  {model.recommended && <Badge tone="primary">Recommended</Badge>}
                  {model.enhanced && <Badge tone="secondary">MCP</Badge>}
                  {model.capabilities.map((capability) => (
                    <Badge key={capability}>{capability}</Badge>
                  ))}
                </span>
              </Cell>
              <Cell align="right">{count.format(model.maxTokens)}</Cell>
              <Cell align="right">{model.cost ? money.format(model.cost.input) : "—"}</Cell>
              <Cell align="right">{model.cost ? money.format(model.cost.output) : "—"}</Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {shown.length < models.length && (
        <LinkButton to={allTo} preventScrollReset className="self-start">
          Show all {models.length} models
        </LinkButton>
      )}
    </section>
  );
}
