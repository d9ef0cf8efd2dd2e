/**
 * A rule on a value that its type cannot say. It is one object: the API server checks the CEL, this program the predicate,
 * and test/e2e/policy-crd.test.ts holds the two together with thousands of arbitrary policies.
 */

/** A rule. */
export interface Rule<T> {
  /** The rule as the API server reads it; `self` is the value as it was written. */
  readonly cel: string;
  /** Completes the sentence that starts with the field's path. */
  readonly message: string;
  /** The field below the one with the rule that the message is about: `.values`. */
  readonly fieldPath?: string;
  /**
   * Whether a value breaks the rule, or where it does.
   *
   * @param value after normalising
   */
  isBroken(value: T): boolean | readonly Broken[];
}

/** A place where a rule is broken. */
export interface Broken {
  /** Below the value with the rule: `.healthPaths[1]`; the rule's fieldPath unless set. */
  readonly at?: string;
  /** The rule's message in words about this case. */
  readonly reason?: string;
}

/** A rule as a schema of the API server has it. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

/** The part of a schema that the API server reads; nothing where there is no rule. */
export function validations<T>(rules: readonly Rule<T>[]): {
  readonly "x-kubernetes-validations"?: readonly CelRule[];
} {
  if (rules.length === 0) return {};
  return {
    "x-kubernetes-validations": rules.map(({ cel, message, fieldPath }) => ({
      rule: cel,
      message,
      ...(fieldPath === undefined ? {} : { fieldPath }),
    })),
  };
}

/** The places in which a value breaks rules, each with the sentence about it. */
export function brokenBy<T>(rules: readonly Rule<T>[], value: T): readonly Required<Broken>[] {
  return rules.flatMap((rule) => {
    const broken = rule.isBroken(value);
    const places = broken === true ? [{}] : broken === false ? [] : broken;
    return places.map(({ at, reason }: Broken) => ({
      at: at ?? rule.fieldPath ?? "",
      reason: reason ?? rule.message,
    }));
  });
}
