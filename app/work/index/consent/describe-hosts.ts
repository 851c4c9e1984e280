interface ProviderHost {
  provider: string;
  host: string;
}

/** One entry per host, such as "Team server, GPU room and 3 more at 10.0.0.5:8000". */
export function describeHosts(providers: readonly ProviderHost[]): string[] {
  const hosts = new Set(providers.map(({ host }) => host));
  return [...hosts].map((host) => {
    const here = providers.filter((one) => one.host === host).map(({ provider }) => provider);
    const names = [...new Set(here)];
    const more = names.length - 2;
    return `${names.slice(0, 2).join(", ")}${more > 0 ? ` and ${more} more` : ""} at ${host}`;
  });
}
