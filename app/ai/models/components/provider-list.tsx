import { Form, useNavigation } from "@remix-run/react";
import { ArrowDown, ArrowUp, Bot, Pencil, PlugZap, Plus, RefreshCw, Trash2 } from "lucide-react";
import { Badge, StatusDot, type Tone } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { countOf, formatCount } from "~/ui/format";
import { Notice } from "~/ui/notice";
import { SectionHeader } from "~/ui/page-header";
import { Row } from "~/ui/row";
import type { RowAction } from "~/ui/row-actions";
import { RelativeTime } from "~/ui/time";
import { ToggleButton } from "~/ui/toggle-button";
import type { DetectedProvider } from "../catalogue.schema";
import type { Provider, ProviderStatus, ProviderTest, ProviderTypeInfo } from "../models.schema";
import { ProviderMark } from "./provider-mark";

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
      <SectionHeader
        id="providers"
        title="AI Model Providers"
        subtitle="Who answers, in this order"
        actions={
          <LinkButton
            to={dialogTo("add-provider")}
            preventScrollReset
            variant="primary"
            icon={<Plus aria-hidden="true" />}
          >
            Add Provider
          </LinkButton>
        }
      />
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

const STATUS_VARIANTS: Record<ProviderStatus["status"], { tone: Tone; label: string }> = {
  online: { tone: "success", label: "Online" },
  warning: { tone: "warning", label: "Warning" },
  offline: { tone: "danger", label: "Offline" },
  unknown: { tone: "neutral", label: "Not checked yet" },
};

const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

function HealthLine({ health }: { health: ProviderStatus }) {
  const { tone, label } = STATUS_VARIANTS[health.status];
  const { latencyMs, probeMs, errorRate, usage, lastFailure } = health;
  // The last failure has a line of its own, with its time.
  const failure = lastFailure?.message;
  const reason = health.reason === failure ? null : health.reason?.replace(`: ${failure}`, "");
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1" data-figures>
      <span className="flex items-center gap-1.5 font-medium">
        <StatusDot tone={tone} />
        {label}
      </span>
      {latencyMs !== null ? (
        <span title="Time to first token">{Math.round(latencyMs)} ms</span>
      ) : (
        probeMs !== null && <span title="Duration of the last health check">{Math.round(probeMs)} ms</span>
      )}
      {errorRate !== null && (
        <span className={errorRate > 0 ? "text-warning-ink" : "text-muted"} title="Last 15 minutes">
          {percent.format(errorRate)} errors
        </span>
      )}
      {usage !== "—" && <span className="text-muted">{usage}</span>}
      {reason && <span className="wrap-anywhere w-full text-ink">{reason}</span>}
    </p>
  );
}

interface ProviderRowProps {
  provider: Provider;
  type: ProviderTypeInfo | undefined;
  health: ProviderStatus | undefined;
  position: number;
  count: number;
  test?: ProviderTest | undefined;
  dialogTo: (dialog: "edit-provider" | "delete-provider") => string;
}

const RUNNING: Readonly<Record<string, string>> = {
  "test-provider": "Testing the connection…",
  "refresh-provider": "Refreshing models…",
};

export function ProviderRow({ provider, type, health, position, count, test, dialogTo }: ProviderRowProps) {
  const navigation = useNavigation();
  const running = navigation.formData?.get("id") === provider.id ? navigation.formData.get("intent") : null;
  const { displayName, enabled, config } = provider;
  // Green only once it responded since the start; a stored list of models can be of before.
  const { tone, label } = STATUS_VARIANTS[(enabled && health?.status) || "unknown"];
  const state = enabled ? ["Active", ...(tone === "success" ? [] : [label])].join(" · ") : "Disabled";
  const progress = RUNNING[String(running)];
  return (
    <Row
      name={displayName}
      title={
        <span dir="ltr" className="flex min-w-0 items-center gap-2">
          <ProviderMark type={provider.provider} className="size-6 [&_svg]:size-4" />
          <bdi className="min-w-0 max-sm:line-clamp-2 sm:truncate">{displayName}</bdi>
        </span>
      }
      icon={
        <span className="grid size-6 place-items-center rounded-sm bg-active font-medium text-ink text-xs tabular-nums">
          <span className="sr-only">Position </span>
          {position}
        </span>
      }
      badges={
        <Badge tone={tone} icon={<StatusDot tone={tone} />}>
          {state}
        </Badge>
      }
      meta={[type?.label ?? provider.provider, config.baseUrl ?? type?.defaultBaseUrl]
        .filter(Boolean)
        .join(" · ")}
      details={
        <div className="flex flex-col gap-1 pt-0.5 text-xs">
          <p className="text-muted">{factsOf(provider, type).join(" · ")}</p>
          {health && enabled && <HealthLine health={health} />}
          {health?.lastFailure && (
            <p className="wrap-anywhere text-muted">
              Last failure <RelativeTime at={health.lastFailure.at} style="running" />
              <span className="text-muted"> · {health.lastFailure.message}</span>
            </p>
          )}
          {progress && <p role="status">{progress}</p>}
          {test && !progress && (
            <Notice kind={test.ok ? "success" : "danger"} className="mt-1">
              {test.message} ({test.latencyMs} ms)
            </Notice>
          )}
        </div>
      }
      aside={
        <Form method="post" preventScrollReset>
          <input type="hidden" name="id" value={provider.id} />
          <input type="hidden" name="enabled" value={enabled ? "false" : "true"} />
          <ToggleButton
            on={enabled}
            label={`${displayName} enabled`}
            intent="toggle-provider"
            pending={running === "toggle-provider"}
          />
        </Form>
      }
      actions={actionsFor(provider, { isFirst: position === 1, isLast: position === count, dialogTo })}
    />
  );
}

function factsOf({ config, models }: Provider, type: ProviderTypeInfo | undefined): string[] {
  const own = Array.isArray(config.models) ? config.models : [];
  const added = own.filter((id) => !models.includes(id)).length;
  const { maxConcurrent, requestsPerMinute } = config;
  return [
    countOf(models.length + added, "model") +
      (added > 0 ? ` (${formatCount(models.length)} discovered, ${formatCount(added)} added)` : ""),
    ...(type && type.abilities.length > 0 ? [type.abilities.join(", ")] : []),
    ...(typeof maxConcurrent === "number" ? [`${formatCount(maxConcurrent)} at a time`] : []),
    ...(typeof requestsPerMinute === "number" ? [`${formatCount(requestsPerMinute)} a minute`] : []),
  ];
}

interface ActionOptions extends Pick<ProviderRowProps, "dialogTo"> {
  isFirst: boolean;
  isLast: boolean;
}

function actionsFor(
  { id, displayName }: Provider,
  { isFirst, isLast, dialogTo }: ActionOptions,
): RowAction[] {
  const move = (direction: "up" | "down") => ({
    label: `Move ${direction === "up" ? "Up" : "Down"}`,
    fullLabel: `Move ${displayName} ${direction}`,
    icon: direction === "up" ? <ArrowUp /> : <ArrowDown />,
    values: { intent: "move-provider", id, direction },
  });
  return [
    {
      label: "Test Connection",
      fullLabel: `Test connection to ${displayName}`,
      icon: <PlugZap />,
      values: { intent: "test-provider", id },
    },
    { label: "Edit", icon: <Pencil />, to: dialogTo("edit-provider") },
    {
      label: "Refresh Models",
      fullLabel: `Refresh models of ${displayName}`,
      icon: <RefreshCw />,
      values: { intent: "refresh-provider", id },
    },
    ...(isFirst ? [] : [move("up")]),
    ...(isLast ? [] : [move("down")]),
    { label: "Delete", icon: <Trash2 />, to: dialogTo("delete-provider") },
  ];
}
