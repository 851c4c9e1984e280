import { BadgeCheck, Check, Download } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { countOf } from "~/ui/format";
import type { Plugin } from "../plugins.schema";
import { PluginIcon } from "./plugin-icon";
import { priceOf } from "./price";
import { Stars } from "./stars";

const SHOWN_TAGS = 3;

interface PluginCardProps {
  plugin: Plugin;
  detailsTo: string;
  /** Undefined without the permission. */
  installTo: string | undefined;
}

export function PluginCard({ plugin, detailsTo, installTo }: PluginCardProps) {
  const { title, author, version, description, tags, verified, status } = plugin;
  return (
    <article className="flex h-full min-w-0 flex-col rounded-lg border border-line bg-surface p-4 shadow-card">
      <header className="flex items-start gap-3">
        <PluginIcon name={plugin.icon} />
        <div className="min-w-0 flex-1">
          <h3 className="flex items-center gap-1.5 text-sm">
            <span className="min-w-0 break-words">{title}</span>
            {verified && (
              <>
                <BadgeCheck aria-hidden="true" className="size-4 shrink-0 text-primary-ink" />
                <span className="sr-only">Verified</span>
              </>
            )}
          </h3>
          <p className="truncate text-muted text-xs">
            {author} · {version}
            {plugin.listedBy && ` · ${plugin.listedBy}`}
          </p>
        </div>
        <Badge tone={plugin.pricing === "free" ? "success" : "secondary"} className="shrink-0">
          {priceOf(plugin)}
        </Badge>
      </header>
      <p className="mt-3 mb-3 line-clamp-3 min-h-15 text-muted">{description}</p>
      <ul className="flex flex-wrap gap-1.5" aria-label="Tags">
        {tags.slice(0, SHOWN_TAGS).map((tag) => (
          <li key={tag}>
            <Badge>{tag}</Badge>
          </li>
        ))}
        {status !== "active" && (
          <li>
            <Badge tone="warning">{status === "beta" ? "Beta" : "Deprecated"}</Badge>
          </li>
        )}
      </ul>
      <p className="mt-3 flex flex-wrap items-center justify-between gap-2 text-muted text-xs">
        <Stars rating={plugin.rating} ratings={plugin.ratings} />
        <span>{countOf(plugin.downloads, "install")}</span>
      </p>
      <footer className="mt-auto flex gap-2 pt-4">
        <LinkButton to={detailsTo} preventScrollReset size="sm" aria-label={`Details of ${title}`}>
          Details
        </LinkButton>
        <InstallButton plugin={plugin} installTo={installTo} size="sm" />
      </footer>
    </article>
  );
}

/** Why the user can't install it. */
function reasonOf({ pricing, author, kind, serverUrl }: Plugin): string {
  if (pricing !== "free" || (kind === "listed" && !serverUrl)) return `Offered by ${author}: see Details`;
  return "Ask an admin to install plugins";
}

interface InstallButtonProps extends Pick<PluginCardProps, "plugin" | "installTo"> {
  size?: "sm";
}

/** Opens the consent dialog. */
export function InstallButton({ plugin, installTo, size }: InstallButtonProps) {
  const { title, installed } = plugin;
  const sizeProps = size ? { size } : {};
  if (installed)
    return (
      <Button
        {...sizeProps}
        type="button"
        disabled
        icon={<Check aria-hidden="true" />}
        aria-label={`${title} is installed`}
      >
        Installed
      </Button>
    );
  if (installTo === undefined)
    return (
      <Button {...sizeProps} type="button" disabled title={reasonOf(plugin)} aria-label={`Install ${title}`}>
        Install
      </Button>
    );
  return (
    <LinkButton
      {...sizeProps}
      to={installTo}
      preventScrollReset
      variant="primary"
      icon={<Download aria-hidden="true" />}
      aria-label={`Install ${title}`}
    >
      Install
    </LinkButton>
  );
}
