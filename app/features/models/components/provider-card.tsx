import { Form, useNavigation } from "@remix-run/react";
import { Badge, StatusDot } from "~/ui/badge";
import { Card } from "~/ui/card";
import { formatCount } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { RelativeTime } from "~/ui/time";
import { ToggleButton } from "~/ui/toggle-button";
import type { ProviderStatus } from "../health.schema";
import type { Provider, ProviderTest, ProviderTypeInfo } from "../models.schema";
import { Abilities } from "./abilities";
import { ProviderActions } from "./provider-actions";
import { HealthLine, LastFailure } from "./provider-health";

interface ProviderCardProps {
  provider: Provider;
  type: ProviderTypeInfo | undefined;
  health: ProviderStatus | undefined;
  /** Its place among the providers, from 1, and how many there are. */
  place: number;
  of: number;
  /** What the last test of its connection found, right after it. */
  test?: ProviderTest | undefined;
  /** Builds the address of a dialog about this provider. */
  dialogTo: (dialog: "edit-provider" | "delete-provider") => string;
}

/** One provider with everything that can be done to it. */
export function ProviderCard({ provider, type, health, place, of, test, dialogTo }: ProviderCardProps) {
  const navigation = useNavigation();
  const running = navigation.formData?.get("id") === provider.id ? navigation.formData.get("intent") : null;
  return (
    <Card
      icon={
        <span className="grid size-6 place-items-center rounded-sm bg-active font-medium text-xs tabular-nums">
          <span className="sr-only">Position </span>
          {place}
        </span>
      }
      title={<span className="wrap-anywhere">{provider.displayName}</span>}
      description={type?.label ?? provider.provider}
      actions={
        <span className="flex items-center gap-2">
          <Badge
            tone={provider.enabled ? "success" : "neutral"}
            icon={<StatusDot tone={provider.enabled ? "success" : "neutral"} />}
          >
            {provider.enabled ? "Active" : "Disabled"}
          </Badge>
          <Form method="post" preventScrollReset>
            <input type="hidden" name="id" value={provider.id} />
            <input type="hidden" name="enabled" value={provider.enabled ? "false" : "true"} />
            <ToggleButton
              on={provider.enabled}
              label={`${provider.displayName} enabled`}
              intent="toggle-provider"
              pending={running === "toggle-provider"}
            />
          </Form>
        </span>
      }
      footer={
        <ProviderActions provider={provider} place={place} of={of} running={running} dialogTo={dialogTo} />
      }
    >
      <div className="flex flex-col gap-3">
        {health && provider.enabled && <HealthLine health={health} />}
        <Facts provider={provider} type={type} health={health} />
        {type && type.abilities.length > 0 && (
          <p className="flex flex-wrap gap-1">
            <Abilities abilities={type.abilities} />
          </p>
        )}
        {test && (
          <Notice kind={test.ok ? "success" : "danger"}>
            {test.message} ({test.latencyMs} ms)
          </Notice>
        )}
      </div>
    </Card>
  );
}

function Facts({ provider, type, health }: Pick<ProviderCardProps, "provider" | "type" | "health">) {
  const { config, models, modelsAt } = provider;
  const own = Array.isArray(config.models) ? config.models : [];
  const added = own.filter((id) => !models.includes(id)).length;
  const limits = [
    typeof config.maxConcurrent === "number" && `${formatCount(config.maxConcurrent)} concurrent`,
    typeof config.requestsPerMinute === "number" && `${formatCount(config.requestsPerMinute)} per minute`,
  ].filter((limit) => limit !== false);
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
      <dt className="text-muted">Address</dt>
      <dd className="truncate">{String(config.baseUrl ?? type?.defaultBaseUrl ?? "")}</dd>
      <dt className="text-muted">Models</dt>
      <dd>
        {formatCount(models.length + added)}
        {added > 0 && ` (${formatCount(models.length)} discovered, ${formatCount(added)} added)`}
        {modelsAt && (
          <span className="text-muted">
            {" · "}
            <RelativeTime at={modelsAt} />
          </span>
        )}
      </dd>
      {limits.length > 0 && (
        <>
          <dt className="text-muted">Limits</dt>
          <dd>{limits.join(" · ")}</dd>
        </>
      )}
      {health?.lastFailure && (
        <>
          <dt className="text-muted">Last failure</dt>
          <dd className="wrap-anywhere">
            <LastFailure failure={health.lastFailure} />
          </dd>
        </>
      )}
      <dt className="text-muted">Added</dt>
      <dd>
        <RelativeTime at={provider.createdAt} />
      </dd>
    </dl>
  );
}
