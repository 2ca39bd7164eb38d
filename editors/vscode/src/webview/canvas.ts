/** A drawing that can be zoomed and moved. The playground of the book uses it, too. */

/** What part of a drawing is seen: the point in the upper left corner, and pixels for each unit. */
export interface Place {
  x: number;
  y: number;
  scale: number;
}

/** How much `+`, `-` and the buttons change the scale. */
const STEP = 1.25;
const LARGEST = 4;
/** Below this scale the text in boxes cannot be read, so a drawing does not begin with less. */
const READABLE = 0.6;
/** The free space around a drawing that fits, in pixels. */
const MARGIN = 12;
/** How far an arrow key moves the drawing, in pixels. */
const PAN = 60;
/** A pointer that moves less than this, in pixels, clicks. */
const CLICK = 4;

export class Canvas {
  readonly element = document.createElement('div');
  private readonly box = document.createElement('figure');
  private readonly percent = document.createElement('output');
  private readonly legend: HTMLElement | undefined;
  /** The element to bring into view as soon as the size is known. */
  private shown: Element | undefined;
  private place: Place | undefined;
  /** What stays in view when the size changes: the revealed part, or the whole drawing; nothing once the user has moved it. */
  private keeps: 'part' | 'whole' | 'nothing' = 'part';

  /** Shows a drawing of the server; `place` is where it was before, if it is to stay there. */
  constructor(
    private readonly drawing: SVGSVGElement,
    place: Place | undefined,
  ) {
    this.place = place;
    this.element.className = 'canvas';
    this.element.tabIndex = 0;
    this.legend = this.takeLegend();
    this.graph?.removeAttribute('transform');
    this.drawing.removeAttribute('style');
    this.drawing.removeAttribute('width');
    this.drawing.removeAttribute('height');
    const bar = document.createElement('div');
    bar.className = 'zoom';
    const button = (text: string, title: string, act: () => void) => {
      const it = document.createElement('button');
      it.textContent = text;
      it.title = title;
      it.addEventListener('click', act);
      bar.append(it);
    };
    button('−', 'Zoom out (-)', () => this.zoom(1 / STEP));
    bar.append(this.percent);
    button('+', 'Zoom in (+)', () => this.zoom(STEP));
    button('Fit', 'Show the whole drawing (0)', () => this.fit());
    this.box.append(this.drawing);
    const head = document.createElement('div');
    head.className = 'canvas-head';
    if (this.legend !== undefined) head.append(this.legend);
    head.append(bar);
    this.element.append(head, this.box);
    this.element.addEventListener('keydown', (event) => this.press(event));
    this.box.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.box.addEventListener('pointerdown', (event) => this.drag(event));
    new ResizeObserver(() => this.resize()).observe(this.box);
  }

  /** Where the drawing is, once it has been shown. */
  get at(): Place | undefined {
    return this.place;
  }

  /** Moves the drawing so that a part of it is seen. */
  reveal(part: Element): void {
    this.shown = part;
    this.keeps = 'part';
    // Until the box has a size, nothing is inside it; `resize` reveals the part then.
    if (this.place === undefined || this.box.clientHeight === 0 || !(part instanceof SVGGraphicsElement)) return;
    const { x, y, width, height } = part.getBBox();
    const view = this.view(this.place);
    const inside = x >= view.x && y >= view.y && x + width <= view.x + view.width && y + height <= view.y + view.height;
    if (inside) return;
    const { scale } = this.place;
    // Of a part that is larger than the box the beginning is seen.
    const left = width < view.width ? x - (view.width - width) / 2 : x - MARGIN;
    const top = height < view.height ? y - (view.height - height) / 2 : y - MARGIN;
    this.moveTo({ x: left, y: top, scale });
  }

  /** Shows all of it, enlarged never. */
  fit(): void {
    this.keeps = 'whole';
    const { clientWidth, clientHeight } = this.box;
    const { x, y, width, height } = this.extent();
    const scale = this.fitting();
    this.moveTo({
      x: x - (clientWidth / scale - width) / 2,
      y: y - Math.min((clientHeight / scale - height) / 2, MARGIN / scale),
      scale,
    });
  }

  /** Zooms about a point of the box, or about its middle. */
  zoom(factor: number, at = { x: this.box.clientWidth / 2, y: this.box.clientHeight / 2 }): void {
    if (this.place === undefined) return;
    this.keeps = 'nothing';
    const { x, y, scale } = this.place;
    const least = Math.min(this.fitting(), READABLE) / 2;
    const next = Math.min(LARGEST, Math.max(least, scale * factor));
    this.moveTo({ x: x + at.x / scale - at.x / next, y: y + at.y / scale - at.y / next, scale: next });
  }

  private get graph(): SVGGraphicsElement | undefined {
    return this.drawing.querySelector<SVGGraphicsElement>('[data-part=graph]') ?? undefined;
  }

  /** The scale at which all of it is seen. */
  private fitting(): number {
    const { width, height } = this.extent();
    const { clientWidth, clientHeight } = this.box;
    const across = (clientWidth - 2 * MARGIN) / Math.max(width, 1);
    const down = (clientHeight - 2 * MARGIN) / Math.max(height, 1);
    return Math.max(Math.min(across, down, 1), 0.01);
  }

  private extent(): DOMRect {
    return (this.graph ?? this.drawing).getBBox();
  }

  private view({ x, y, scale }: Place) {
    return { x, y, width: this.box.clientWidth / scale, height: this.box.clientHeight / scale };
  }

  private moveTo(place: Place): void {
    this.place = place;
    const { x, y, width, height } = this.view(place);
    if (width > 0 && height > 0) this.drawing.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
    this.percent.textContent = `${Math.round(place.scale * 100)} %`;
  }

  private resize(): void {
    // Before its legend has its size, the drawing may have none.
    this.sizeLegend();
    if (this.box.clientWidth === 0 || this.box.clientHeight === 0) return;
    if (this.place !== undefined) {
      if (this.keeps === 'whole') this.fit();
      else this.moveTo(this.place);
      if (this.keeps === 'part' && this.shown !== undefined) this.reveal(this.shown);
      return;
    }
    this.fit();
    const fitting = this.fitting();
    // A long function begins at its top, and with the width of its boxes; the place of the cursor comes after that.
    if (fitting < READABLE) {
      const { x, y, width } = this.extent();
      const { clientWidth } = this.box;
      const scale = Math.min(1, Math.max(READABLE, (clientWidth - 2 * MARGIN) / Math.max(width, 1)));
      this.moveTo({ x: x + width / 2 - clientWidth / scale / 2, y: y - MARGIN / scale, scale });
    }
    this.keeps = 'part';
    if (this.shown !== undefined) this.reveal(this.shown);
  }

  /** The legend stays where it is while the drawing moves. Each of its items is a drawing, so that they fill the width in rows. */
  private takeLegend(): HTMLElement | undefined {
    const part = this.drawing.querySelector('[data-part=legend]');
    if (part === null) return undefined;
    const legend = document.createElement('div');
    legend.className = 'legend';
    for (const item of part.querySelectorAll('[data-part=item]')) {
      const own = this.drawing.cloneNode(false);
      if (!(own instanceof SVGSVGElement)) continue;
      own.removeAttribute('style');
      own.append(item);
      legend.append(own);
    }
    part.remove();
    return legend;
  }

  /** Each item has the size that it was drawn with, for smaller words could not be read. */
  private sizeLegend(): void {
    for (const item of this.legend?.querySelectorAll('svg') ?? []) {
      const { x, y, width, height } = item.getBBox();
      item.setAttribute('viewBox', `${x} ${y - 1} ${width} ${height + 2}`);
      item.setAttribute('width', String(width));
      item.setAttribute('height', String(height + 2));
    }
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = (x: number, y: number) => {
      if (this.place === undefined) return;
      const { scale } = this.place;
      this.keeps = 'nothing';
      this.moveTo({ x: this.place.x + (x * PAN) / scale, y: this.place.y + (y * PAN) / scale, scale });
    };
    const keys: Record<string, () => void> = {
      '+': () => this.zoom(STEP),
      '=': () => this.zoom(STEP),
      '-': () => this.zoom(1 / STEP),
      '0': () => this.fit(),
      ArrowLeft: () => move(-1, 0),
      ArrowRight: () => move(1, 0),
      ArrowUp: () => move(0, -1),
      ArrowDown: () => move(0, 1),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { left, top } = this.box.getBoundingClientRect();
    // Wheels count lines or pixels; two fingers that spread arrive with the control key and small steps.
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
    const factor = Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.002));
    this.zoom(factor, { x: event.clientX - left, y: event.clientY - top });
  }

  private drag(event: PointerEvent): void {
    if (event.button !== 0 || this.place === undefined) return;
    const { x, y, scale } = this.place;
    let moved = false;
    const move = (now: PointerEvent) => {
      const across = now.clientX - event.clientX;
      const down = now.clientY - event.clientY;
      if (!moved && Math.hypot(across, down) < CLICK) return;
      if (!moved) this.box.setPointerCapture(event.pointerId);
      moved = true;
      this.keeps = 'nothing';
      this.box.classList.add('dragged');
      this.moveTo({ x: x - across / scale, y: y - down / scale, scale });
    };
    const end = () => {
      this.box.removeEventListener('pointermove', move);
      this.box.classList.remove('dragged');
      if (!moved) return;
      // A click follows that is none.
      const ignore = (click: Event) => click.stopPropagation();
      this.box.addEventListener('click', ignore, { capture: true, once: true });
      setTimeout(() => this.box.removeEventListener('click', ignore, { capture: true }), 0);
    };
    this.box.addEventListener('pointermove', move);
    this.box.addEventListener('pointerup', end, { once: true });
    this.box.addEventListener('pointercancel', end, { once: true });
  }
}
