/** Shares with Wilson's score interval (E. B. Wilson, 1927), which holds for small counts and for shares of 0 and 1. */

const z95 = 1.959964;

export class Share {
  hits = 0;
  total = 0;

  add(isHit: boolean): void {
    this.total += 1;
    if (isHit) this.hits += 1;
  }

  get value(): number {
    return this.total === 0 ? Number.NaN : this.hits / this.total;
  }

  /** Lower bound of the two-sided 95 % interval. */
  get lower(): number {
    return this.total === 0 ? Number.NaN : this.#bound(-1);
  }

  get upper(): number {
    return this.total === 0 ? Number.NaN : this.#bound(1);
  }

  #bound(side: 1 | -1): number {
    const { total, value } = this;
    const spread = z95 * Math.sqrt((value * (1 - value)) / total + z95 ** 2 / (4 * total ** 2));
    return Math.min(
      1,
      Math.max(0, (value + z95 ** 2 / (2 * total) + side * spread) / (1 + z95 ** 2 / total)),
    );
  }
}
