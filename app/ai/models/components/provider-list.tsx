import { Form } from "@remix-run/react";
import { Bot, Plus } from "lucide-react";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { countOf } from "~/ui/format";
import { Notice } from "~/ui/notice";
import type { DetectedProvider } from "../catalogue.schema";
import type { ProviderStatus } from "../health.schema";
import type { Provider, ProviderTest, ProviderTypeInfo } from "../models.schema";
import { ProviderRow } from "./provider-row";

interface ProviderListProps {
  providers: Provider[];
  types: ProviderTypeInfo[];
  detected: DetectedProvider[];
  health: ProviderStatus[];
  test: (ProviderTest & { id: string }) | undefined;
  dialogTo: (dialog: "add-provider" | "edit-provider" | "delete-provider", id?: string) => string;
}

/** Providers in routing order, and those detected on this host. */
export function ProviderList({ providers, types, detected, health, test, dialogTo }: ProviderListProps) {
  return (
    <section aria-labelledby="providers" className="flex flex-col gap-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="providers" className="text-md">
          AI Model Providers
        </h2>
        <LinkButton
          to={dialogTo("add-provider")}
          preventScrollReset
          variant="primary"
          icon={<Plus aria-hidden="true" />}
        >
          Add Provider
        </LinkButton>
      </header>
      {detected.map((server) => (
        <DetectedNotice key={server.baseUrl} server={server} />
      ))}
      {providers.length === 0 ? (
        <EmptyState
          icon={<Bot />}
          title="No providers configured"
          description="Connect a provider to use its models in chat, personas and workflows. Until then, the built-in model answers."
          action={
            <LinkButton to={dialogTo("add-provider")} preventScrollReset>
              Add First Provider
            </LinkButton>
          }
        />
      ) : (
        <ul aria-labelledby="providers" className="rounded-lg border border-line bg-surface shadow-card">
          {providers.map((provider, index) => (
            <ProviderRow
              key={provider.id}
              provider={provider}
              type={types.find((type) => type.value === provider.provider)}
              health={health.find(({ id }) => id === provider.id)}
              position={index + 1}
              count={providers.length}
              test={test?.id === provider.id ? test : undefined}
              dialogTo={(name) => dialogTo(name, provider.id)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function DetectedNotice({ server }: { server: DetectedProvider }) {
  return (
    <Notice title={`Found: ${server.displayName}`}>
      <p>
        Running at {server.baseUrl} with {countOf(server.models.length, "model")}
      </p>
      <Form method="post" preventScrollReset className="mt-2">
        <input type="hidden" name="provider" value={server.provider} />
        <input type="hidden" name="displayName" value={server.displayName} />
        <input type="hidden" name="config.baseUrl" value={server.baseUrl} />
        <Button size="sm" name="intent" value="add-detected">
          Add<span className="sr-only"> {server.displayName}</span>
        </Button>
      </Form>
    </Notice>
  );
}
