import { BadgeCheck, Check, Download, Star } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";
import type { Plugin } from "../plugins.schema";
import { PluginIcon } from "./plugin-icon";

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
                <BadgeCheck className="size-4 shrink-0 text-primary-ink" />
                <span className="sr-only">Verified</span>
              </>
            )}
          </h3>
          <p className="truncate text-muted text-xs">
            {author} · {version}
            {plugin.listedBy && ` · ${plugin.listedBy}`}
          </p>
        </div>
        {plugin.pricing === "free" ? (
          <span className="shrink-0 text-muted text-xs">{priceOf(plugin)}</span>
        ) : (
          <Badge tone="secondary" className="shrink-0">
            {priceOf(plugin)}
          </Badge>
        )}
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
  if (installTo !== undefined && !installed)
    return (
      <LinkButton
        {...sizeProps}
        to={installTo}
        preventScrollReset
        // In a list there would be a primary on every card.
        variant={size ? "secondary" : "primary"}
        icon={<Download />}
        aria-label={`Install ${title}`}
      >
        Install
      </LinkButton>
    );
  return (
    <Button
      {...sizeProps}
      type="button"
      disabled
      {...(installed
        ? { icon: <Check />, "aria-label": `${title} is installed` }
        : { title: reasonOf(plugin), "aria-label": `Install ${title}` })}
    >
      {installed ? "Installed" : "Install"}
    </Button>
  );
}

export function priceOf({ pricing, price }: Pick<Plugin, "pricing" | "price">): string {
  if (pricing === "premium") return `$${price ?? 0}`;
  return pricing === "enterprise" ? "Enterprise" : "Free";
}

export function Stars({ rating, ratings }: { rating: number | null; ratings: number }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1 text-muted text-xs">
      <span
        className="inline-flex"
        {...(rating === null
          ? { "aria-hidden": true }
          : { role: "img", "aria-label": `${rating} of 5 stars` })}
      >
        {[1, 2, 3, 4, 5].map((star) => (
          <Star
            key={star}
            className={cx(
              "size-3.5",
              star <= Math.round(rating ?? 0) ? "fill-warning text-warning-ink" : "text-edge",
            )}
          />
        ))}
      </span>
      {rating === null ? (
        // Empty stars say it to the eye.
        <span className="sr-only">Not rated yet</span>
      ) : (
        <span>
          {rating.toFixed(1)} <span className="sr-only">from</span> ({countOf(ratings, "rating")})
        </span>
      )}
    </span>
  );
}
