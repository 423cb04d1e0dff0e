import { z } from "zod";
import type { Product } from "./product.js";
import { formatPrice } from "./money.js";

/** What a customer is about to buy. */
export class Cart {
  private lines = new Map<string, number>();

  constructor(private readonly products: Map<string, Product>) {}

  /** Put so many of a product into the cart. */
  add(id: string, count = 1): void {
    if (!this.products.has(id)) {
      throw new Error(`no product ${id}`);
    }
    this.lines.set(id, (this.lines.get(id) ?? 0) + count);
  }

  get total(): number {
    let sum = 0;
    for (const [id, count] of this.lines) {
      sum += this.products.get(id)!.price * count;
    }
    return sum;
  }

  toString(): string {
    return `${this.lines.size} lines, ${formatPrice(this.total)}`;
  }
}

export const cartSchema = z.object({
  lines: z.array(z.object({ id: z.string(), count: z.number().int() })),
});
