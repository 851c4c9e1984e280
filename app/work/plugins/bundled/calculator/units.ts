import { AppError } from "~/core/errors";

/** Factors to each quantity's base unit. */
const QUANTITIES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  length: {
    mm: 0.001,
    cm: 0.01,
    m: 1,
    km: 1000,
    in: 0.0254,
    ft: 0.3048,
    yd: 0.9144,
    mi: 1609.344,
    nmi: 1852,
  },
  mass: { mg: 1e-6, g: 0.001, kg: 1, t: 1000, oz: 0.028349523125, lb: 0.45359237, st: 6.35029318 },
  time: { ms: 0.001, s: 1, min: 60, h: 3600, d: 86_400, wk: 604_800 },
  area: { cm2: 1e-4, m2: 1, ha: 10_000, km2: 1e6, ft2: 0.09290304, ac: 4046.8564224, mi2: 2_589_988.110336 },
  volume: {
    ml: 0.001,
    l: 1,
    m3: 1000,
    tsp: 0.00492892159375,
    cup: 0.2365882365,
    pt: 0.473176473,
    gal: 3.785411784,
  },
  speed: { "m/s": 1, "km/h": 1 / 3.6, mph: 0.44704, kn: 1852 / 3600 },
  data: {
    bit: 0.125,
    b: 1,
    kb: 1e3,
    mb: 1e6,
    gb: 1e9,
    tb: 1e12,
    kib: 1024,
    mib: 1024 ** 2,
    gib: 1024 ** 3,
    tib: 1024 ** 4,
  },
  energy: { j: 1, kj: 1000, cal: 4.184, kcal: 4184, wh: 3600, kwh: 3.6e6 },
  power: { milliwatt: 0.001, w: 1, kw: 1000, mw: 1e6, hp: 745.6998715822702 },
  pressure: { pa: 1, kpa: 1000, bar: 100_000, psi: 6894.757293168, atm: 101_325 },
};

/** To kelvin, and back. */
const TEMPERATURES: Readonly<Record<string, readonly [(t: number) => number, (k: number) => number]>> = {
  k: [(t) => t, (k) => k],
  c: [(t) => t + 273.15, (k) => k - 273.15],
  f: [(t) => ((t + 459.67) * 5) / 9, (k) => (k * 9) / 5 - 459.67],
};

function quantityOf(unit: string): readonly [string, Readonly<Record<string, number>>] | undefined {
  return Object.entries(QUANTITIES).find(([, units]) => Object.hasOwn(units, unit));
}

/** Lower case, where that doesn't change the unit. */
function readUnit(unit: string): string {
  const plain = unit.trim().replace(/^°/, "");
  if (plain === "mW") return "milliwatt";
  // Megameter, megagram and megasecond aren't supported.
  return /^M[mgs]$/.test(plain) ? plain : plain.toLowerCase();
}

export const unitNames = (): string =>
  [...Object.entries(QUANTITIES), ["temperature", TEMPERATURES] as const]
    .map(([quantity, units]) => `${quantity}: ${Object.keys(units).join(" ")}`)
    .join("; ");

/** Converts between units of one quantity. @throws AppError `invalid` */
export function convert(value: number, from: string, to: string): { value: number; quantity: string } {
  const [source, target] = [readUnit(from), readUnit(to)];
  const fromScale = Object.hasOwn(TEMPERATURES, source) ? TEMPERATURES[source] : undefined;
  const toScale = Object.hasOwn(TEMPERATURES, target) ? TEMPERATURES[target] : undefined;
  if (fromScale && toScale)
    return { value: Number(toScale[1](fromScale[0](value)).toPrecision(12)), quantity: "temperature" };
  const known = quantityOf(source);
  if (!known)
    throw new AppError("invalid", `The unit "${from.slice(0, 20)}" is unknown. Units: ${unitNames()}.`);
  const [quantity, units] = known;
  const factor = Object.hasOwn(units, target) ? units[target] : undefined;
  if (factor === undefined)
    throw new AppError(
      "invalid",
      `"${to.slice(0, 20)}" isn't a unit of ${quantity}. Use ${Object.keys(units).join(", ")}.`,
    );
  return { value: Number(((value * (units[source] ?? 1)) / factor).toPrecision(12)), quantity };
}
