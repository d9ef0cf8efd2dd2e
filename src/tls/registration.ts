/**
 * The webhook configurations, as far as the certificate goes: who trusts what, and whether a call hangs on it.
 */

/** Told that something cannot be reached, and is tried again after `retryMs`. */
export type Unreachable = (reason: string, retryMs: number) => void;

/** A webhook configuration, as far as its caBundles go. */
export interface Registration {
  readonly name: string;
  /** Whether it brings people warnings only: then it never decides whether this replica can serve. */
  readonly isAdvisory: boolean;
  /** The bundle of each webhook in it, PEM; undefined where the configuration is not there. */
  readonly bundles: readonly string[] | undefined;
  /** Changes with every change of its webhooks: another replica may have mended it between two looks of this one. */
  readonly generation: string;
}

/** The webhook configurations. Every call rejects where they cannot be reached. */
export interface Registrations {
  read(): Promise<readonly Registration[]>;
  /** Writes the bundle into every webhook of a configuration that is there; never makes one. */
  publish(registration: Registration, bundle: string): Promise<void>;
  follow(onChange: () => void, onUnreachable: Unreachable, signal: AbortSignal): Promise<void>;
}

/** The configurations that have another bundle. */
export function wrongOf(registrations: readonly Registration[], bundle: string): readonly Registration[] {
  return registrations.filter(({ bundles }) => bundles?.some((one) => one !== bundle));
}

/** Whether a bundle stands wherever pods hang on it: a locked configuration that only warns must not hold renewing up. */
export function stands(registrations: readonly Registration[], bundle: string): boolean {
  return wrongOf(registrations, bundle).every((one) => one.isAdvisory);
}

/** One text for all generations. */
export function generationsOf(registrations: readonly Registration[]): string {
  return registrations.map(({ name, generation }) => `${name} ${generation}`).join("\n");
}

/** What came of writing a bundle. */
export interface Published {
  /** The configurations as they are now; as far as it is known, where they could not be read again. */
  readonly registered: readonly Registration[];
  /** How many were written. */
  readonly written: number;
  /** The first refusal: of a write, or of reading again. */
  readonly refusal: string | undefined;
}

/**
 * Writes a bundle wherever another one stands. A configuration that cannot be written leaves the others as they are.
 *
 * @param before the configurations as they were read
 * @param onPublished told of each that was written
 */
export async function publishEach(
  registrations: Registrations,
  before: readonly Registration[],
  bundle: string,
  onPublished: (name: string) => void,
): Promise<Published> {
  const wrong = wrongOf(before, bundle);
  const written = new Set<Registration>();
  let refusal: string | undefined;
  const note = (error: unknown) => {
    refusal ??= error instanceof Error ? error.message : String(error);
  };
  for (const registration of wrong) {
    try {
      await registrations.publish(registration, bundle);
      written.add(registration);
      onPublished(registration.name);
    } catch (error) {
      note(error);
    }
  }
  let registered = before.map((one) =>
    written.has(one) ? { ...one, bundles: one.bundles?.map(() => bundle) } : one,
  ) as readonly Registration[];
  try {
    if (wrong.length > 0) registered = await registrations.read();
  } catch (error) {
    note(error);
  }
  return { registered, written: written.size, refusal };
}
