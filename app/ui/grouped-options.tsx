interface GroupedOption {
  value: string;
  label: string;
  group?: string;
}

interface GroupedOptionsProps {
  options: readonly GroupedOption[];
  /** Kept as an option if it is gone from the list. */
  chosen?: string | undefined;
}

/** Options of a select under their groups' names. */
export function GroupedOptions({ options, chosen = "" }: GroupedOptionsProps) {
  const isListed = chosen === "" || options.some(({ value }) => value === chosen);
  const groups = [...new Set(options.map(({ group }) => group ?? ""))];
  return (
    <>
      {!isListed && <option value={chosen}>{chosen} (not available)</option>}
      {groups.map((group) => {
        const own = options
          .filter((option) => (option.group ?? "") === group)
          .map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ));
        return group === "" ? (
          own
        ) : (
          <optgroup key={group} label={group}>
            {own}
          </optgroup>
        );
      })}
    </>
  );
}
