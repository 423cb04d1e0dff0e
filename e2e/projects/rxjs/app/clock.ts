import { Subject, asyncScheduler, interval, takeUntil } from 'rxjs';
import type { Observable, Observer, TeardownLogic } from 'rxjs';
import * as operators from 'rxjs/operators';
import { EmptyError } from 'rxjs/internal/util/EmptyError';

/** What a clock hands out; see {@link Subject}. */
export class Clock {
  private readonly stop = new Subject<void>();
  readonly ticks: Observable<number> = interval(1000, asyncScheduler).pipe(takeUntil(this.stop), operators.map((tick) => tick + 1));

  run(observer: Partial<Observer<number>>): TeardownLogic {
    return this.ticks.subscribe(observer);
  }

  end(): void {
    this.stop.next();
  }
}

export function isEmpty(error: unknown): error is EmptyError {
  return error instanceof EmptyError;
}
