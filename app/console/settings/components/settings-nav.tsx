import { Form, Link, useLocation } from "@remix-run/react";
import { Search } from "lucide-react";
import { cx } from "~/ui/class-names";
import { Tabs } from "~/ui/tabs";
import { SETTINGS_SECTIONS, type SettingsTab } from "../settings-tabs.shared";

interface SettingsNavProps {
  tabs: readonly { id: SettingsTab; label: string; section: (typeof SETTINGS_SECTIONS)[number] }[];
  /** What is searched, empty if nothing is. */
  query: string;
  found: readonly { label: string; to: string }[];
}

const ROW =
  "flex min-h-8 items-center rounded-md px-2.5 py-1 text-muted hover:bg-hover hover:text-ink aria-[current]:bg-active aria-[current]:font-medium aria-[current]:text-ink pointer-coarse:min-h-11";

/** The tabs under their sections, beside the page in wide windows, else in a strip above it; with a search of all settings. */
export function SettingsNav({ tabs, query, found }: SettingsNavProps) {
  const { pathname } = useLocation();
  const sections = SETTINGS_SECTIONS.map((section) => ({
    section,
    tabs: tabs.filter((tab) => tab.section === section),
  })).filter((one) => one.tabs.length > 0);
  const shown = sections
    .flatMap((one) => one.tabs)
    .map(({ id, label }) => {
      const to = `/settings/${id}`;
      return { id, label, to, active: pathname === to || pathname.startsWith(`${to}/`) };
    });
  return (
    <div className="min-w-0 xl:sticky xl:top-[calc(var(--header)+1.5rem)] xl:self-start">
      <Form role="search" className="relative mb-3">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
        />
        <input
          key={query}
          type="search"
          name="setting"
          defaultValue={query}
          maxLength={100}
          autoComplete="off"
          aria-label="Search settings"
          placeholder="Search settings"
          className="min-h-8 w-full rounded-md border border-line border-b-edge bg-sunken pr-2 pl-8.5 text-ink text-sm pointer-coarse:min-h-11"
        />
      </Form>
      {query !== "" && (
        <section aria-label="Settings found" className="mb-4">
          <p role="status" className="px-2.5 pb-1 text-muted text-xs">
            {found.length === 0 ? "No setting has these words." : `${found.length} found`}
          </p>
          <ul>
            {found.map(({ label, to }) => (
              <li key={`${to} ${label}`}>
                <Link to={to} className={cx(ROW, "wrap-anywhere")}>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className="xl:hidden">
        <Tabs label="Settings" tabs={shown} />
      </div>
      <nav aria-label="Settings" className="hidden flex-col gap-4 xl:flex">
        {sections.map(({ section, tabs: own }) => (
          <div key={section}>
            <p id={`settings-${section}`} className="px-2.5 pb-1 font-medium text-muted text-xs">
              {section}
            </p>
            <ul aria-labelledby={`settings-${section}`}>
              {shown
                .filter(({ id }) => own.some((tab) => tab.id === id))
                .map(({ id, label, to, active }) => (
                  <li key={id}>
                    <Link
                      to={to}
                      preventScrollReset
                      aria-current={active ? "page" : undefined}
                      className={ROW}
                    >
                      {label}
                    </Link>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  );
}
