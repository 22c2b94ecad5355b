
"use strict";
// The living report. Data come from two elements of the page: #told is JSON, #numbers compressed arrays.
// Whatever the data say is written as text (textContent); markup is made by this file alone.

const $ = (id) => document.getElementById(id);
const told = JSON.parse($("told").textContent);
const PICK = "#d1006c", CUT = "#e08a00", LOOP = "#00967d";
const state = { t: 0, playing: false, speed: 1, factor: 1, tint: "", trails: false, arrows: false, follow: false, picked: "", graph: "T", window: null };
let buffer, time, bodies = [], parts = [], stage, panes = [];

function make(tag, inside = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(inside)) {
    if (key === "text") element.textContent = value;
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

async function unpack() {
  const raw = atob($("numbers").textContent), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  buffer = await new Response(stream).arrayBuffer();
}

function numbers(place) {
  const count = place.shape.reduce((a, b) => a * b, 1);
  const kinds = { f4: Float32Array, f8: Float64Array, u4: Uint32Array, u2: Uint16Array };
  const array = new kinds[place.type](buffer, place.at, count);
  array.shape = place.shape;
  return array;
}

// ---- time: a row and the part of the way to the next --------------------------------------------

function locate(times, t) {
  const last = times.length - 1;
  if (!(t > times[0])) return [0, 0];
  if (t >= times[last]) return [last, 0];
  let low = 0, high = last;
  while (high - low > 1) { const middle = (low + high) >> 1; if (times[middle] <= t) low = middle; else high = middle; }
  return [low, (t - times[low]) / (times[high] - times[low])];
}

function vectorAt(array, k, f, out) {
  const n = out.length, i = k * n;
  for (let c = 0; c < n; c++) out[c] = f ? array[i + c] * (1 - f) + array[i + n + c] * f : array[i + c];
  return out;
}

function turnAt(array, k, f, out) {  // scalar first in the file, last in three.js
  const i = 4 * k;
  out.set(array[i + 1], array[i + 2], array[i + 3], array[i]);
  if (f) out.slerp(new THREE.Quaternion(array[i + 5], array[i + 6], array[i + 7], array[i + 4]), f);
  return out.normalize();
}

// ---- the mechanism in space -------------------------------------------------------------------------

const colourOf = (link) => told.colours[link % told.colours.length];
const JOINT = "joint";  // painted as the page is
const CELLS = 14;  // of the lattice to either side
const PIECES = 5;  // straight pieces an element of a beam is drawn of
const UP = new THREE.Vector3(0, 1, 0), GREY = "#a9b1ba";  // grey: of what has no value of the field that colours show

function material(colour, opacity = 1) {
  return new THREE.MeshLambertMaterial({ color: colour === JOINT ? 0 : colour, side: THREE.DoubleSide, flatShading: true, transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
}

function between(mesh, a, b, width) {  // put a unit cylinder between two points
  const d = b.clone().sub(a), length = d.length();
  mesh.position.copy(a).addScaledVector(d, 0.5);
  mesh.quaternion.setFromUnitVectors(UP, length > 0 ? d.divideScalar(length) : UP);
  mesh.scale.set(width, Math.max(length, 1e-12), width);
}

function extent(now = null) {  // over the run, or at one row
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const p = new THREE.Vector3(), q = new THREE.Quaternion(), r = [0, 0, 0];
  const reach = (x) => { for (let c = 0; c < 3; c++) { low[c] = Math.min(low[c], x[c]); high[c] = Math.max(high[c], x[c]); } };
  const stride = Math.max(1, Math.floor(time.length / 60)), from = now ?? 0, to = now === null ? time.length : now + 1;
  for (const body of bodies) {
    const many = Math.max(1, Math.floor(body.n / 200));
    for (let k = from; k < to; k += stride) {
      vectorAt(body.position, k, 0, r); turnAt(body.quaternion, k, 0, q); reach(r);
      const eta = body.modes && vectorAt(body.elastic, k, 0, new Array(body.m).fill(0));
      for (let i = 0; i < body.n; i += many) {
        const at = [0, 1, 2].map((c) => body.points[3 * i + c] + (eta ? state.factor * deflection(body, 3 * i + c, eta) : 0));
        p.set(...at).applyQuaternion(q);
        reach([p.x + r[0], p.y + r[1], p.z + r[2]]);
      }
    }
  }
  for (const place of told.ground) reach(place);
  for (const part of told.parts) if (part.look === "contact") {  // round shapes and balls, as far as they reach
    const round = { sphere: part.sizes[0], cylinder: part.sizes[3], box: Math.hypot(...part.sizes) }[part.shape] || 0;
    for (const [end, R] of [[part.tail, round], [part.head, part.radius]]) for (let k = from; k < to; k += stride) {
      const at = end.place || vectorAt(numbers(end.position), k, 0, [0, 0, 0]), deep = told.is_planar ? 0 : R;
      if (R) { reach([at[0] - R, at[1] - R, at[2] - deep]); reach([at[0] + R, at[1] + R, at[2] + deep]); }
    }
  }
  return [new THREE.Vector3(...low), new THREE.Vector3(...high)];
}

function readBodies() {
  bodies = told.bodies.map((b) => {
    const body = { name: b.name, link: b.link, is_section: b.is_section, points: numbers(b.points), lines: numbers(b.lines), triangles: numbers(b.triangles), position: numbers(b.position), quaternion: numbers(b.quaternion) };
    body.n = body.points.length / 3;
    if (b.modes) {
      body.modes = numbers(b.modes); body.elastic = numbers(b.elastic);
      body.m = b.modes.shape[2];
      body.moved = new Float32Array(body.points.length);
    }
    return body;
  });
}

function deflection(body, at, eta) {  // modes η of one component of a point
  let u = 0;
  for (let j = 0; j < body.m; j++) u += body.modes[at * body.m + j] * eta[j];
  return u;
}

function deform(body, k, f, factor) {  // points + factor · modes η in body.moved; returns the largest deflection
  const { points, m, moved } = body, eta = vectorAt(body.elastic, k, f, new Array(m).fill(0));
  let largest = 0;
  body.size = body.size || new Float32Array(body.n);
  for (let i = 0; i < body.n; i++) {
    let square = 0;
    for (let c = 0; c < 3; c++) {
      const u = deflection(body, 3 * i + c, eta);
      square += u * u;
      moved[3 * i + c] = points[3 * i + c] + factor * u;
    }
    body.size[i] = Math.sqrt(square);
    if (body.size[i] > largest) largest = body.size[i];
  }
  return largest;
}

// dark blue, green, yellow; the colours of the bar in page.css, as linear light
const HEAT = Array.from({ length: 256 }, (_, n) => {
  const stops = [[69, 0, 84], [59, 82, 140], [33, 145, 140], [94, 201, 97], [252, 232, 36]], s = n / 255 * 4, i = Math.min(3, Math.floor(s)), f = s - i;
  return new THREE.Color().setRGB(...stops[i].map((a, c) => (a * (1 - f) + stops[i + 1][c] * f) / 255), THREE.SRGBColorSpace).toArray();
});
function heat(x) { return HEAT[Math.round(255 * Math.min(Math.max(x, 0), 1))]; }

// how far along the colours each cell of a body is now, or null where the body carries no such field; lines first, then triangles
function shade(body, t) {
  const field = told.fields.find((x) => x.name === state.tint), own = field && field.bodies[body.name];
  if (!own) return null;
  const values = numbers(own), cells = own.shape[1], last = own.shape[0] - 1, [low, high] = [time[0], time[time.length - 1]];
  const s = last && high > low ? Math.min(Math.max((t - low) / (high - low), 0), 1) * last : 0, k = Math.min(Math.floor(s), Math.max(last - 1, 0)), f = s - k;
  const out = new Float32Array(cells);
  for (let i = 0; i < cells; i++) out[i] = (values[k * cells + i] * (1 - f) + (f ? values[(k + 1) * cells + i] * f : 0)) / 65535;
  return out;
}

class Stage {
  constructor() {
    this.canvas = $("space");
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(28, 1, 0.01, 100);
    this.camera.up.set(0, told.is_planar ? 1 : 0, told.is_planar ? 0 : 1);
    this.controls = new THREE.OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.redraw());
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xa0a8b0, 2.1));
    const sun = new THREE.DirectionalLight(0xffffff, 1.4);
    this.camera.add(sun); sun.position.set(0.4, 0.8, 1); this.scene.add(this.camera);
    [this.low, this.high] = extent();
    this.size = Math.max(this.high.distanceTo(this.low), 1e-9);
    const own = this.ownSize(), [from, to] = extent(0), first = this.sizeAt(0);
    this.travels = own > 1e-6 * this.size && this.size > 8 * own;  // so far that it would not be seen beside its way
    this.grows = !this.travels && this.size > 8 * first && first > 1e-6 * this.size;  // so much that it would not be seen where it begins
    this.unit = 0.008 * (this.travels ? 1.6 * own : Math.min(this.size, Math.max(1.6 * to.distanceTo(from), 0.1 * this.size)));
    this.r = Math.min(this.unit, Math.max(0.1 * this.linkLength(), 0.09 * this.unit));
    this.largest = this.largestDeflection();
    bodies.forEach((body) => this.addBody(body));
    parts = told.parts.map((part) => this.addPart(part));
    told.ground.forEach((place) => this.addGround(place));
    this.addTrails();
    this.addLattice();
    new ResizeObserver(() => this.resize()).observe($("stage"));
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.resize();
  }

  linkLength() {  // three of four bodies are no longer, among those that have frames apart: symbols must leave links to be seen
    const long = [];
    for (const body of bodies) if (!body.is_section) {
      const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
      body.points.forEach((x, i) => { low[i % 3] = Math.min(low[i % 3], x); high[i % 3] = Math.max(high[i % 3], x); });
      const length = body.n > 1 ? Math.hypot(...high.map((x, c) => x - low[c])) : 0;
      if (length > 0) long.push(length);
    }
    return long.length ? long.sort((a, b) => a - b)[Math.floor(0.75 * (long.length - 1))] : Infinity;
  }

  ownSize() {  // of the mechanism where it is largest
    const stride = Math.max(1, Math.floor(time.length / 30));
    let own = 0;
    for (let k = 0; k < time.length; k += stride) own = Math.max(own, this.sizeAt(k));
    return own;
  }

  sizeAt(k) {  // at one row, with the planes it may touch
    const [low, high] = extent(k), middle = low.clone().add(high).multiplyScalar(0.5);
    for (const p of told.parts) if (p.look === "contact" && p.shape === "plane" && p.tail.place) {
      const n = new THREE.Vector3(...p.sizes).normalize(), foot = middle.clone().addScaledVector(n, n.dot(new THREE.Vector3(...p.tail.place).sub(middle)));
      low.min(foot); high.max(foot);
    }
    return high.distanceTo(low);
  }

  middle(k, f) {  // of the bodies: where a camera that follows looks
    const sum = new THREE.Vector3(), r = [0, 0, 0];
    for (const body of bodies) sum.add(new THREE.Vector3(...vectorAt(body.position, k, f, r)));
    return sum.divideScalar(bodies.length);
  }

  follow(is_on) {
    state.follow = is_on; this.at = this.middle(...locate(time, state.t));
    $("follow").checked = is_on; this.view(is_on ? "fit" : "run");
  }

  largestDeflection() {
    let largest = 0;
    const stride = Math.max(1, Math.floor(time.length / 100));
    for (const body of bodies) if (body.modes) for (let k = 0; k < time.length; k += stride) largest = Math.max(largest, deform(body, k, 0, 1));
    return largest;
  }

  addBody(body) {
    const group = new THREE.Group(), colour = colourOf(body.link), r = this.r;
    body.group = group; body.colour = colour; body.materials = [];
    group.userData.edge = body.name;
    const before = bodies.indexOf(body);  // of surfaces that lie in each other, one is in front: they do not flicker
    const paint = (opacity) => { const m = material(colour, opacity); Object.assign(m, { polygonOffset: true, polygonOffsetFactor: before % 16, polygonOffsetUnits: 4 * (before % 16) }); body.materials.push(m); return m; };
    const at = (i) => new THREE.Vector3(body.points[3 * i], body.points[3 * i + 1], body.points[3 * i + 2]);
    if (body.triangles.length) {
      const geometry = new THREE.BufferGeometry(), is_plate = body.lines.length > 0 && !body.modes;
      if (body.modes) {  // every triangle has corners of its own: a colour of one cell ends where the cell does
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * body.triangles.length), 3));
        geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * body.triangles.length).fill(1), 3));
      } else {
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(body.points), 3));
        geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(body.triangles), 1));
      }
      body.surface = new THREE.Mesh(geometry, paint(is_plate ? 0.35 : 1));
      body.surface.frustumCulled = false;
      group.add(body.surface);
      if (!body.modes && !is_plate) this.show(body);
      if (!is_plate && body.modes) {  // edges of the mesh, so that a flat shell shows how it bends
        const pairs = new Set();
        for (let i = 0; i < body.triangles.length; i += 3) for (let c = 0; c < 3; c++) {
          const a = body.triangles[i + c], b = body.triangles[i + (c + 1) % 3];
          pairs.add(a < b ? a + "," + b : b + "," + a);
        }
        body.wire = new Uint32Array([...pairs].flatMap((pair) => pair.split(",").map(Number)));
        const lines = new THREE.BufferGeometry();
        body.outline = new THREE.BufferAttribute(body.moved, 3);
        lines.setAttribute("position", body.outline);
        lines.setIndex(new THREE.BufferAttribute(body.wire, 1));
        const mesh = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: "#222222", transparent: true, opacity: 0.35 }));
        mesh.frustumCulled = false;
        group.add(mesh);
      }
    }
    const count = body.lines.length / 2;
    if (count && body.modes) {
      body.tubes = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 10), paint(1), count);
      body.tubes.frustumCulled = false;
      group.add(body.tubes);
    } else for (let i = 0; i < count; i++) {
      const tube = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 14), paint(1));
      between(tube, at(body.lines[2 * i]), at(body.lines[2 * i + 1]), r);
      group.add(tube);
    }
    if (body.is_section) { group.clear(); return; }  // the beam is drawn, from section to section
    if (!count && !body.triangles.length) group.add(new THREE.Mesh(new THREE.SphereGeometry(2.2 * r, 20, 14), paint(1)));
    else if (!body.modes && count) group.add(new THREE.Mesh(new THREE.SphereGeometry(1.5 * r, 16, 12), paint(1)));
    this.scene.add(group);
  }

  // a solid is seen: never smaller than the pin it turns on, and in a plane in front of a larger one at its place
  show(body) {
    let reach = 0, back = Infinity, front = -Infinity;
    for (let i = 0; i < body.points.length; i += 3) { const [x, y, z] = body.points.subarray(i, i + 3); reach = Math.max(reach, Math.hypot(x, y, z)); back = Math.min(back, z); front = Math.max(front, z); }
    const grown = Math.max(1, 4 * this.r / (reach || 1));
    body.surface.scale.setScalar(grown);
    Object.assign(body, { reach: reach * grown, front: front * grown });
    if (!told.is_planar) return;
    const at = (b) => new THREE.Vector3(...vectorAt(b.position, 0, 0, [0, 0, 0])), here = at(body), ones = bodies.filter((b) => b.reach && b !== body && at(b).distanceTo(here) < Math.max(b.reach, body.reach));
    const lift = (b, to) => { b.surface.position.z += to; b.front += to; };
    for (const b of ones) if (b.reach > body.reach) lift(body, Math.max(0, b.front - back * grown)); else lift(b, Math.max(0, body.front + this.r));
  }

  // a joint by its motion space: what it turns about at its head, what it slides along between its ends
  addPart(p) {
    const part = { ...p, group: new THREE.Group(), materials: [], moving: [] }, r = this.r;
    for (const key of ["tail", "head"]) if (p[key].position) part[key] = { position: numbers(p[key].position), quaternion: p[key].quaternion && numbers(p[key].quaternion) };
    part.group.userData.edge = p.name;
    const dark = p.role === "driver" ? "#2a8a4a" : p.role === "force" ? "#c4561a" : JOINT;
    const paint = (colour = dark, opacity = 1) => { const m = material(colour, opacity); part.materials.push(m); if (colour === JOINT) (this.joints ||= []).push(m); return m; };
    const solid = (geometry, colour, opacity) => { const mesh = new THREE.Mesh(geometry, paint(colour, opacity)); part.group.add(mesh); return mesh; };
    if (p.look === "beam") {
      part.pieces = Array.from({ length: PIECES }, () => solid(new THREE.CylinderGeometry(1, 1, 1, 12), colourOf(p.link)));
      part.thick = this.thickness(p.name);
    } else if (p.look === "contact") this.addContact(part, solid);
    else if (p.look === "tie") part.tie = solid(new THREE.CylinderGeometry(1, 1, 1, 10));
    else if (p.look === "path") this.addPath(part, solid);
    else if (p.look === "condenser") part.plates = [0, 1].map(() => solid(new THREE.BoxGeometry((p.slides.length ? 9 : 18) * r, 0.5 * r, 9 * r), dark));
    else if (p.role === "force") {
      if (p.look !== "damper" && p.look !== "actuator") {
        part.coil = new THREE.Line(new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * 241), 3)), new THREE.LineBasicMaterial({ color: dark, linewidth: 2 }));
        part.coil.frustumCulled = false; part.materials.push(part.coil.material); part.group.add(part.coil);
      }
      if (p.look !== "spring" && p.look !== "bushing") { part.barrel = solid(new THREE.CylinderGeometry(1, 1, 1, 16), dark, 0.75); part.rod = solid(new THREE.CylinderGeometry(1, 1, 1, 12), "#8a95a0"); }
    } else {
      const wide = p.role === "driver" ? 1.35 : 1;
      const deep = this.depth(part);
      if (p.turns.length === 1) part.pin = solid(new THREE.CylinderGeometry(1.9 * r * wide, 1.9 * r * wide, Math.max(4.2 * r / wide, deep), 20));
      else if (p.turns.length === 2) { part.pin = solid(new THREE.CylinderGeometry(1.0 * r, 1.0 * r, 6 * r, 14)); part.second = solid(new THREE.CylinderGeometry(1.0 * r, 1.0 * r, 6 * r, 14)); }
      else if (p.turns.length === 3) part.ball = solid(new THREE.SphereGeometry(2.2 * r, 20, 14));
      else if (!p.slides.length) part.ball = solid(new THREE.BoxGeometry(2.6 * r, 2.6 * r, 2.6 * r));
      if (part.pin && p.acted) {  // a motor, a torsional spring, a brake: what turns it, or holds it, lies about the pin
        const drum = new THREE.Mesh(new THREE.CylinderGeometry(2.7 * r, 2.7 * r, Math.max(2.2 * r, deep - r), 24), paint("#c4561a"));
        drum.userData.edge = p.acted; part.pin.add(drum);
      }
      part.rails = p.slides.length < 3 ? p.slides.map(() => solid(new THREE.BoxGeometry(1, 1, 1), "#6c7782", 0.55)) : [];
      if (p.slides.length && p.slides.length < 3) part.block = solid(new THREE.BoxGeometry(3.4 * r, 3.4 * r, Math.max(3.4 * r, deep)));
      part.reach = this.reach(part);
    }
    this.scene.add(part.group);
    return part;
  }

  depth(part) {  // of a joint in a plane: through the solids at its place, so that it is seen in front of them
    if (!told.is_planar) return 0;
    const at = this.end(part, "head", 0, 0), over = bodies.filter((b) => b.reach && at.distanceTo(new THREE.Vector3(...vectorAt(b.position, 0, 0, [0, 0, 0]))) < b.reach);
    return over.length ? 2 * Math.max(...over.map((b) => b.front)) + 3 * this.r : 0;
  }

  thickness(name) {  // of a beam: half the mean side of the box that its first section has, as far as it can be seen
    const edge = told.edges.find((e) => e.name === name), body = edge && bodies.find((b) => b.name === edge.tail);
    if (!body || body.n < 2) return this.r;
    const side = (c) => { let most = 0; for (let i = 0; i < body.n; i++) most = Math.max(most, Math.abs(body.points[3 * i + c])); return most; };
    return Math.min(Math.max((side(1) + side(2)) / 2, 0.6 * this.r), 6 * this.r);
  }

  addPath(part, solid) {  // a point on a curve or a surface: where it comes by in the run, dots in the tail frame
    const dot = new THREE.SphereGeometry(0.55 * this.r, 8, 6), stride = Math.max(1, Math.floor(time.length / 240));
    part.ball = solid(new THREE.SphereGeometry(1.9 * this.r, 20, 14)); part.path = new THREE.Group(); part.group.add(part.path);
    for (let k = 0; k < time.length; k += stride) {
      const mesh = solid(dot, "#6c7782"); part.path.add(mesh);
      mesh.position.copy(this.end(part, "head", k, 0)).sub(this.end(part, "tail", k, 0)).applyQuaternion(this.turn(part, "tail", k, 0).invert());
    }
  }

  addContact(part, solid) {  // the shape that is touched, in the tail frame; the ball, at the head
    const z = part.sizes, see = "#8b949e", flat = told.is_planar ? 6 * this.r : this.size;
    const put = (mesh, u, at = [0, 0, 0]) => { mesh.quaternion.setFromUnitVectors(UP, u); mesh.position.set(...at); part.touched = new THREE.Group(); part.touched.add(mesh); part.group.add(part.touched); };
    if (part.shape === "plane") {  // a slab below the plane
      const n = new THREE.Vector3(...z).normalize(), thick = 0.012 * this.size;
      put(solid(new THREE.BoxGeometry(1.1 * this.size, thick, flat), see, 0.6), n, n.clone().multiplyScalar(-thick / 2).toArray());
    } else if (part.shape === "sphere") put(solid(new THREE.SphereGeometry(z[0], 32, 20), see, 0.35), UP);
    else if (part.shape === "cylinder") {
      const ends = z[4] || (told.is_planar ? 6 * this.r : 0.3 * this.size);
      put(solid(new THREE.CylinderGeometry(z[3], z[3], ends, 40), see, 0.35), new THREE.Vector3(z[0], z[1], z[2]).normalize());
    } else if (part.shape === "box") {
      const [x, y, w] = [0, 3, 6].map((i) => new THREE.Vector3(z[i], z[i + 1], z[i + 2])), mesh = solid(new THREE.BoxGeometry(2 * x.length(), 2 * y.length(), 2 * w.length()), see, 0.35);
      put(mesh, UP);
      mesh.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(x.normalize(), y.normalize(), w.normalize()));
    }
    if (part.radius) part.rolling = solid(new THREE.SphereGeometry(part.radius, 28, 18), "#c4561a", 0.6);
  }

  placeBeam(part, tail, head, k, f) {  // a cubic that leaves both sections along their x axes
    const h = head.distanceTo(tail), x = ["tail", "head"].map((key) => new THREE.Vector3(h, 0, 0).applyQuaternion(this.turn(part, key, k, f)));
    const at = (s) => { const w = 3 * s * s - 2 * s * s * s; return tail.clone().multiplyScalar(1 - w).addScaledVector(head, w).addScaledVector(x[0], s * (1 - s) * (1 - s)).addScaledVector(x[1], s * s * (s - 1)); };
    let from = tail;
    part.pieces.forEach((piece, i) => { const to = at((i + 1) / PIECES); between(piece, from, to, part.thick); from = to; });
  }

  end(part, key, k, f) {
    const side = part[key];
    return new THREE.Vector3(...(side.place || vectorAt(side.position, k, f, [0, 0, 0])));
  }

  turn(part, key, k, f) {
    const side = part[key], q = new THREE.Quaternion();
    return side.quaternion ? turnAt(side.quaternion, k, f, q) : q;
  }

  reach(part) {  // smallest and largest slide along each direction over the run
    const out = part.slides.map(() => [Infinity, -Infinity]), stride = Math.max(1, Math.floor(time.length / 200));
    for (let k = 0; k < time.length; k += stride) {
      const d = this.end(part, "head", k, 0).sub(this.end(part, "tail", k, 0)), q = this.turn(part, "tail", k, 0).invert();
      d.applyQuaternion(q);
      part.slides.forEach((s, i) => { const x = d.dot(new THREE.Vector3(...s)); out[i][0] = Math.min(out[i][0], x); out[i][1] = Math.max(out[i][1], x); });
    }
    return out;
  }

  placePart(part, k, f) {
    const tail = this.end(part, "tail", k, f), head = this.end(part, "head", k, f), r = this.r;
    if (part.pieces) return this.placeBeam(part, tail, head, k, f);
    if (part.touched) { part.touched.position.copy(tail); part.touched.quaternion.copy(this.turn(part, "tail", k, f)); }
    if (part.rolling) part.rolling.position.copy(head);
    if (part.look === "contact") return;
    if (part.tie) return between(part.tie, tail, head, 0.55 * r);
    if (part.path) { part.path.position.copy(tail); part.path.quaternion.copy(this.turn(part, "tail", k, f)); part.ball.position.copy(head); return; }
    if (part.plates) return this.placePlates(part, tail, head, k, f);
    if (part.role === "force") return this.placeForce(part, tail, head);
    const q = this.turn(part, "tail", k, f), axis = (v, turn = q) => new THREE.Vector3(...v).applyQuaternion(turn).normalize();
    for (const mesh of [part.pin, part.second, part.ball, part.block]) if (mesh) mesh.position.copy(head);
    if (part.pin) part.pin.quaternion.setFromUnitVectors(UP, axis(part.turns[0]));
    if (part.second) part.second.quaternion.setFromUnitVectors(UP, axis(part.turns[1], this.turn(part, "head", k, f)));
    if (part.block) part.block.quaternion.setFromUnitVectors(UP, axis(part.slides[0]));
    part.rails.forEach((rail, i) => {
      const u = axis(part.slides[i]), [a, b] = this.grows ? [0, 0].fill(head.clone().sub(tail).dot(u)) : part.reach[i];  // a rail as long as all the way
      rail.position.copy(tail).addScaledVector(u, (Math.min(a, 0) + Math.max(b, 0)) / 2);
      rail.quaternion.setFromUnitVectors(UP, u);
      rail.scale.set(1.5 * r, Math.max(b, 0) - Math.min(a, 0) + 5 * r, 1.5 * r);
    });
  }

  placePlates(part, tail, head, k, f) {  // their inner faces are at the frames, across the line between them or their normal
    const d = head.clone().sub(tail), n = part.slides.length ? new THREE.Vector3(...part.slides[0]).applyQuaternion(this.turn(part, "tail", k, f)) : d.clone();
    if (!n.length()) n.copy(UP);
    n.setLength(d.dot(n) < 0 ? -1 : 1);
    part.plates[0].position.copy(part.slides.length ? head.clone().addScaledVector(n, -d.dot(n)) : tail).addScaledVector(n, -0.25 * this.r);
    part.plates[1].position.copy(head).addScaledVector(n, 0.25 * this.r);
    for (const plate of part.plates) plate.quaternion.setFromUnitVectors(UP, n);
  }

  placeForce(part, tail, head) {
    const d = head.clone().sub(tail), length = d.length(), r = this.r;
    if (part.lane) {  // elements between the same frames stand side by side
      const across = new THREE.Vector3().crossVectors(d, new THREE.Vector3(0, 0, 1));
      if (across.length() <= 1e-6 * length) across.set(1, 0, 0);
      across.setLength(6 * r * part.lane);
      tail.add(across); head.add(across);
    }
    if (part.coil) {
      const array = part.coil.geometry.getAttribute("position").array, u = d.clone().divideScalar(length || 1);
      const n = new THREE.Vector3(Math.abs(u.x) < 0.6 ? 1 : 0, Math.abs(u.x) < 0.6 ? 0 : 1, 0).cross(u).normalize(), b = u.clone().cross(n);
      for (let i = 0; i <= 240; i++) {
        const s = i / 240, w = s < 0.1 || s > 0.9 ? 0 : 2.2 * r, angle = 2 * Math.PI * 8 * (s - 0.1) / 0.8;
        for (const [c, key] of ["x", "y", "z"].entries()) array[3 * i + c] = tail[key] + d[key] * s + w * (Math.cos(angle) * n[key] + Math.sin(angle) * b[key]);
      }
      part.coil.geometry.getAttribute("position").needsUpdate = true;
    }
    if (part.barrel) { const middle = tail.clone().addScaledVector(d, 0.55); between(part.barrel, tail, middle, 1.8 * r); between(part.rod, tail.clone().addScaledVector(d, 0.3), head, 0.8 * r); }
  }

  addGround(place) {
    const r = this.r, group = new THREE.Group(), paint = material("#8b949e");
    const cone = new THREE.Mesh(new THREE.ConeGeometry(3.2 * r, 5 * r, 4), paint), base = new THREE.Mesh(new THREE.BoxGeometry(9 * r, 0.9 * r, told.is_planar ? 3 * r : 9 * r), paint);
    cone.position.y = -2.9 * r; base.position.y = -5.6 * r; group.add(cone, base);
    if (!told.is_planar) group.rotation.x = Math.PI / 2;
    group.position.set(...place); this.scene.add(group);
  }

  addLattice() {  // lines of the ground behind what the camera follows: else nothing would be seen to move
    const all = bodies.map((b) => [0, 1, 2].map((c) => { let low = Infinity, high = -Infinity; for (let i = c; i < b.position.length; i += 3) { low = Math.min(low, b.position[i]); high = Math.max(high, b.position[i]); } return high - low; }));
    const way = [0, 1, 2].map((c) => Math.max(0, ...all.map((x) => x[c])));  // the plane of the two axes along which most is moved
    this.across = told.is_planar ? 2 : way.indexOf(Math.min(...way));
    const [a, b] = [0, 1, 2].filter((c) => c !== this.across), ends = [];
    for (let i = -CELLS; i <= CELLS; i++) for (const [along, other] of [[a, b], [b, a]]) for (const end of [-CELLS, CELLS]) { const p = [0, 0, 0]; p[along] = end; p[other] = i; ends.push(...p); }
    const lines = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(ends), 3));
    this.lattice = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: "#8b949e", transparent: true, opacity: 0.35, depthWrite: false }));
    this.lattice.frustumCulled = false; this.lattice.visible = false; this.scene.add(this.lattice);
  }

  placeLattice(cell) {  // a cell is what the scale says; lines stay where they are in the ground
    this.lattice.visible = state.follow;
    if (!state.follow) return;
    const at = ["x", "y", "z"], target = this.controls.target;
    for (const [c, key] of at.entries()) this.lattice.position[key] = c === this.across ? target[key] - (told.is_planar ? 8 * this.r : 0) : cell * Math.round(target[key] / cell);
    this.lattice.scale.setScalar(cell);
  }

  addTrails() {
    this.lines = bodies.map((body) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(body.position), 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: body.colour }));
      line.visible = false; line.frustumCulled = false; this.scene.add(line);
      return line;
    });
    this.forces = [];
    const curves = new Map(told.runs[0].curves.map((c) => [c.name, c]));
    let largest = 0;
    for (const part of parts) {
      const names = ["x", "y", "z"].map((c) => curves.get(`joints/${part.name}/force/${c}`));
      if (!names.every(Boolean)) continue;
      const values = names.map((c) => numbers(c.values));
      for (let k = 0; k < time.length; k++) { const size = Math.hypot(values[0][k], values[1][k], values[2][k]); if (size > largest) largest = size; }
      const arrow = new THREE.Group(), paint = material("#b8342f");
      arrow.shaft = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 10), paint);
      arrow.tip = new THREE.Mesh(new THREE.ConeGeometry(1.6 * this.unit, 4 * this.unit, 14), paint);
      arrow.add(arrow.shaft, arrow.tip); arrow.visible = false; this.scene.add(arrow);
      this.forces.push({ part, values, arrow });
    }
    // what is left where forces cancel is no force: beside that of the energies that go round
    this.strongest = largest > 1e-9 * (told.audit.scale || 0) / this.size ? largest : 0;
  }

  renew() {  // rows have come: trails, arrows and what the picture must hold
    for (const thing of [...this.lines, ...this.forces.map((f) => f.arrow)]) this.scene.remove(thing);
    this.lines.forEach((line) => line.geometry.dispose());
    this.addTrails();
    this.largest = this.largestDeflection();
    for (const part of parts) if (part.rails) part.reach = this.reach(part);
    this.hold();
  }

  hold() {  // all of it in the picture, where it has grown
    const [low, high] = extent(), room = 0.02 * this.high.distanceTo(this.low);
    const grown = ["x", "y", "z"].some((c) => low[c] < this.low[c] - room || high[c] > this.high[c] + room);
    if (grown) { [this.low, this.high] = [low, high]; this.size = high.distanceTo(low); this.view("same"); }
  }

  place(t) {
    const [k, f] = locate(time, t), r = [0, 0, 0];
    if (state.follow && this.at) {
      const at = this.middle(k, f), moved = at.clone().sub(this.at);
      this.at = at; this.camera.position.add(moved); this.controls.target.add(moved);
      if (this.grows && t !== this.seenAt) { this.seenAt = t; this.look(null, ...extent(k)); }
    }
    for (const body of bodies) {
      vectorAt(body.position, k, f, r);
      body.group.position.set(...r);
      turnAt(body.quaternion, k, f, body.group.quaternion);
      if (body.modes) this.bend(body, k, f, t);
      else if (body.grey !== !!state.tint) { body.grey = !!state.tint; for (const m of body.materials) m.color.set(body.grey ? GREY : body.colour); }
    }
    for (const part of parts) this.placePart(part, k, f);
    this.lines.forEach((line) => { line.visible = state.trails; });
    for (const { part, values, arrow } of this.forces) {
      const force = new THREE.Vector3(...values.map((v) => (f ? v[k] * (1 - f) + v[k + 1] * f : v[k])));
      const length = 27.5 * this.unit * force.length() / (this.strongest || 1);
      arrow.visible = state.arrows && this.strongest > 0 && length > 4 * this.unit;
      if (!arrow.visible) continue;
      const head = this.end(part, "head", k, f), u = force.normalize();
      between(arrow.shaft, head, head.clone().addScaledVector(u, length), 0.5 * this.unit);
      arrow.tip.position.copy(head).addScaledVector(u, length); arrow.tip.quaternion.setFromUnitVectors(UP, u);
    }
  }

  bend(body, k, f, t) {
    deform(body, k, f, state.factor);
    const is_deflection = state.tint === "deflection" && this.largest > 0, cells = shade(body, t), grey = new THREE.Color(GREY).toArray();
    const lines = body.lines.length / 2, tinted = !!state.tint;
    const ofLine = (i) => (cells ? heat(cells[i]) : is_deflection ? heat((body.size[body.lines[2 * i]] + body.size[body.lines[2 * i + 1]]) / 2 / this.largest) : grey);
    if (body.surface) {
      const g = body.surface.geometry, position = g.getAttribute("position"), colours = g.getAttribute("color"), { triangles, moved } = body;
      for (let i = 0; i < triangles.length; i++) { const at = 3 * triangles[i]; position.array[3 * i] = moved[at]; position.array[3 * i + 1] = moved[at + 1]; position.array[3 * i + 2] = moved[at + 2]; }
      position.needsUpdate = true;
      if (body.outline) body.outline.needsUpdate = true;
      if (tinted) for (let i = 0; i < triangles.length; i++) {
        const [red, green, blue] = cells ? heat(cells[lines + Math.floor(i / 3)]) : is_deflection ? heat(body.size[triangles[i]] / this.largest) : grey;
        colours.setXYZ(i, red, green, blue);
      }
      colours.needsUpdate = tinted;
      const m = body.surface.material;
      if (m.vertexColors !== tinted) { m.vertexColors = tinted; m.color.set(tinted ? "#ffffff" : body.colour); m.needsUpdate = true; }
    }
    if (body.tubes) {
      const a = new THREE.Vector3(), b = new THREE.Vector3(), dummy = this.dummy || (this.dummy = new THREE.Group()), colour = new THREE.Color();
      for (let i = 0; i < lines; i++) {
        const [p, q] = [body.lines[2 * i], body.lines[2 * i + 1]];
        a.fromArray(body.moved, 3 * p); b.fromArray(body.moved, 3 * q);
        between(dummy, a, b, this.r); dummy.updateMatrix(); body.tubes.setMatrixAt(i, dummy.matrix);
        if (tinted) colour.setRGB(...ofLine(i)); else colour.set(body.colour);
        body.tubes.setColorAt(i, colour);
      }
      body.tubes.material.color.set("#ffffff");
      body.tubes.instanceMatrix.needsUpdate = true;
      if (body.tubes.instanceColor) body.tubes.instanceColor.needsUpdate = true;
    }
  }

  light(names) {  // make the partners of a picked edge glow
    const glow = (materials, is_lit, colour) => materials.forEach((m) => { if (m.emissive) m.emissive.set(is_lit ? colour : "#000000"); });
    for (const body of bodies) glow(body.materials, names.has(body.name), names.get(body.name));
    for (const part of parts) glow(part.materials, names.has(part.name), names.get(part.name));
  }

  view(name) {
    const [low, high] = name === "fit" || state.follow ? extent(locate(time, state.t)[0]) : [this.low, this.high];  // of now, or of the run
    const directions = { iso: [1, -1.4, 0.9], x: [1, 0, 0], y: [0, -1, 0], z: [0, 0, 1] };  // others keep theirs
    let d = directions[name] && new THREE.Vector3(...directions[name]);
    if (told.is_planar && name === "iso") d = new THREE.Vector3(0.5, 0.6, 1.2);
    if (told.is_planar && name === "y") d = new THREE.Vector3(0, 1, 0.001);
    if (!told.is_planar && name === "z") d = new THREE.Vector3(0, -0.001, 1);
    this.look(d, low, high); this.controls.update(); this.redraw();
  }

  look(d, low, high) {  // along d, or as now, at all between two corners
    const centre = low.clone().add(high).multiplyScalar(0.5);
    d = (d || this.camera.position.clone().sub(this.controls.target)).normalize();
    const tall = Math.max(0.5 * this.size / Math.min(this.camera.aspect, 1.0), 0.5 * this.size);
    const far = this.away(d, centre, low, high) || tall / Math.sin((this.camera.fov * Math.PI) / 360);
    this.camera.near = far / 200; this.camera.far = far * 20; this.camera.updateProjectionMatrix();
    this.camera.position.copy(centre).addScaledVector(d, far);
    this.controls.target.copy(centre);
  }

  away(d, centre, low, high) {  // how far along d the camera sees every corner; near ones are seen larger
    const right = new THREE.Vector3().crossVectors(this.camera.up, d).normalize(), up = new THREE.Vector3().crossVectors(d, right);
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    let far = 0;
    for (const x of [low.x, high.x]) for (const y of [low.y, high.y]) for (const z of [low.z, high.z]) {
      const p = new THREE.Vector3(x, y, z).sub(centre), half = Math.max(Math.abs(p.dot(up)), Math.abs(p.dot(right)) / this.camera.aspect);
      far = Math.max(far, p.dot(d) + (1.12 * half + 6 * this.r + (state.arrows ? 27.5 * this.unit : 0)) / slope);  // arrows reach beyond
    }
    return far;
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = $("stage");
    if (!w || !h) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h; this.camera.updateProjectionMatrix();
    if (!this.seen) { this.seen = true; this.view(told.is_planar ? "z" : "iso"); if (this.travels || this.grows) this.follow(true); } else this.redraw();
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
    const ray = new THREE.Raycaster(); ray.setFromCamera(at, this.camera);
    const hits = ray.intersectObjects([...parts.map((p) => p.group), ...bodies.map((b) => b.group)], true);
    if (!hits.length) return;
    let thing = hits[0].object;
    while (thing && !thing.userData.edge) thing = thing.parent;
    if (thing) pick(thing.userData.edge);
  }

  redraw() {  // one picture for all that asks for one before the screen shows the next
    if (!this.asked) { this.asked = true; requestAnimationFrame(() => { if (this.asked) this.draw(); }); }
  }

  draw() {
    this.asked = false;
    const css = getComputedStyle(document.documentElement);
    this.renderer.setClearColor(css.getPropertyValue("--space").trim(), 1);
    for (const m of this.joints || []) m.color.set(css.getPropertyValue("--joint").trim());  // dark on light, light on dark
    const height = 2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.controls.target);
    const metres = height / ($("stage").clientHeight || 1) * 100, power = 10 ** Math.floor(Math.log10(metres));
    const round = [1, 2, 5, 10].map((x) => x * power).filter((x) => x <= metres).pop() || power;
    this.placeLattice(round); this.renderer.render(this.scene, this.camera);
    $("scalebar").textContent = "━".repeat(Math.max(1, Math.round(10 * round / metres))) + ` ${Number(round.toPrecision(1))} m` + (state.arrows ? (this.strongest ? ` · longest arrow ${this.strongest.toPrecision(3)} N` : " · no joint carries a force") : "");
    const [field] = told.fields.filter((x) => x.name === state.tint), most = state.tint === "deflection" ? `${this.largest.toPrecision(3)} m` : field ? `${field.largest.toPrecision(3)} ${field.unit}` : "";
    $("heat").hidden = !most; $("heatname").textContent = state.tint + " 0"; $("heatmost").textContent = most + (field ? ` (at ${field.moments} moments)` : "");
  }
}

// ---- the graph ----------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
function draw(tag, inside, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(inside)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function partners(name, key = state.graph) {
  const net = told.graph[key];
  if (!net || !name) return { cutset: [], circuit: [] };
  return { cutset: net.cutsets[name] || [], circuit: net.circuits[name] || [] };
}

function drawGraph() {
  const svg = $("graph"), net = told.graph[state.graph];
  svg.replaceChildren();
  Object.assign(near, { lines: [], tips: [], dots: [] });
  for (const key of ["T", "R", "N"]) $("show" + key).hidden = !told.graph[key];
  if (!net) { near.of = null; $("nettitle").textContent = told.graph.why || ""; return; }
  $("nettitle").textContent = net.title;
  const points = [...Object.values(net.nodes), ...net.edges.flatMap((e) => e.points), ...Object.values(net.outlines).flat(), ...net.texts.map((t) => [t.at[0] - 0.04 * t.text.length, t.at[1]]), ...net.texts.map((t) => [t.at[0] + 0.04 * t.text.length, t.at[1]])];
  const xs = points.map((p) => p[0]), ys = points.map((p) => -p[1]);
  const [x0, x1, y0, y1] = [Math.min(...xs) - 0.3, Math.max(...xs) + 0.3, Math.min(...ys) - 0.2, Math.max(...ys) + 0.5];
  if (near.of !== net) Object.assign(near, { of: net, whole: [x0, y0, x1 - x0, y1 - y0], box: null });
  for (const [body, outline] of Object.entries(net.outlines)) svg.append(draw("polygon", { points: outline.map((p) => `${p[0]},${-p[1]}`).join(" "), fill: body === "ground" ? "#eeeeea" : "#f6f8fc", stroke: body === "ground" ? "none" : "#777", "stroke-width": 0.015, "stroke-dasharray": "0.02 0.04" }));
  const sets = partners(state.picked), role = new Map([...sets.cutset.map(([n]) => [n, "cut"]), ...sets.circuit.map(([n]) => [n, "loop"])]);
  if (state.picked) role.set(state.picked, "pick");
  for (const edge of [...net.edges].reverse()) {
    const lit = role.get(edge.name), colour = { pick: PICK, cut: CUT, loop: LOOP }[lit] || (edge.is_branch && edge.kind === "body" ? "#777777" : edge.colour);
    const line = edge.points.map((p) => `${p[0]},${-p[1]}`).join(" ");
    const group = draw("g", { class: "edge", "data-lit": lit || "" });
    group.dataset.edge = edge.name;
    const stroke = (wide, least, inside) => { const made = draw("polyline", { points: line, fill: "none", stroke: colour, "stroke-linecap": "round", ...inside }); near.lines.push([made, wide, least]); return made; };
    group.append(stroke(edge.is_branch ? 0.05 : lit ? 0.032 : 0.014, edge.is_branch ? 2.2 : lit ? 1.6 : 0.7, edge.is_dashed ? { "stroke-dasharray": "0.08 0.05" } : {}));
    if (lit) group.prepend(stroke(0.14, 6, { opacity: 0.25 }));
    const i = Math.max(1, Math.round(0.56 * (edge.points.length - 1))), [hx, hy] = edge.points[i], [tx, ty] = edge.points[i - 1], length = Math.hypot(hx - tx, hy - ty) || 1, u = [(hx - tx) / length, (hy - ty) / length], s = edge.is_branch ? 0.075 : 0.055;
    const tip = draw("polygon", { fill: colour });
    near.tips.push([tip, [hx, hy], u, s, edge.is_branch ? 3.4 : 2.6]);
    group.append(tip, stroke(0.18, 8, { stroke: "transparent", style: "cursor:pointer" }));
    group.append(draw("title", {}, `${edge.name}: ${told.edges.find((e) => e.name === edge.name)?.kind || edge.kind}${edge.is_branch ? ", branch" : ", chord"}`));
    group.addEventListener("click", () => pick(edge.name));
    svg.append(group);
  }
  for (const [node, [x, y]] of Object.entries(net.nodes)) {
    const dot = draw("circle", { cx: x, cy: -y, fill: "#000" }), is_ground = node === "ground";
    near.dots.push([dot, is_ground ? 0.055 : 0.038, is_ground ? 2.6 : 1.8]); svg.append(dot);
  }
  const [gx, gy] = net.nodes.ground || [0, 0];
  svg.append(draw("path", { d: `M${gx} ${-gy}v0.17M${gx - 0.2} ${-gy + 0.17}h0.4` + [-0.16, -0.06, 0.04, 0.14].map((x) => `M${gx + x} ${-gy + 0.17}l-0.08 0.09`).join(""), stroke: "#000", "stroke-width": 0.02, fill: "none" }));
  near.texts = net.texts.map((t) => draw("text", { x: t.at[0], y: -t.at[1], "font-size": t.size / 72, fill: t.colour, "text-anchor": "middle", "dominant-baseline": "central", "font-weight": t.weight, "paint-order": "stroke", stroke: "#ffffffcc", "stroke-width": 0.03, "pointer-events": "none" }, t.text));
  svg.append(...near.texts);
  const legend = $("legend");
  legend.replaceChildren();
  const entries = state.picked ? [[PICK, "picked: " + state.picked]] : [];
  if (sets.cutset.length) entries.push([CUT, "its cutset"]);
  if (sets.circuit.length) entries.push([LOOP, "its circuit"]);
  if (state.picked && !net.edges.some((e) => e.name === state.picked)) entries.push(["#888", `${state.picked} is not in the ${state.graph === "N" ? "network" : state.graph + "-graph"}`]);
  if (!entries.length) entries.push(["currentColor", "bold: branches of the tree. Pick an edge" + (told.bodies.length ? ", or a body in the picture." : ".")]);
  for (const [colour, text] of entries) { const mark = make("i"); mark.style.borderColor = colour; legend.append(make("span", {}, mark, text)); }
  legend.append(make("span", { id: "unnamed" }));
  frameGraph();
}

// the part of the graph that is seen; names keep a size that can be read, and those that would cover others wait until one comes near;
// lines keep a width at which branches are told from chords
const near = { of: null, whole: null, box: null, texts: [], lines: [], tips: [], dots: [] }, LETTERS = 9;
// places for a name beside what it names, the most wanted first; a and b are half its width and height
function besideNode(name, a, b, scale) {
  const [x, y] = near.of.nodes[name];
  if (name === "ground") return [[x, y - 0.28 - b], [x + 0.24 + a, y - 0.17], [x - 0.24 - a, y - 0.17]];
  const gap = Math.max(0.06, 5.5 / scale), one = (v) => Math.max(-1, Math.min(1, 1.5 * v));
  return [1, 1.9, 3].flatMap((far) => [0, 180, 90, 270, 45, 135, 315, 225, 20, 160, 200, 340, 65, 115, 245, 295].map((degrees) => {
    const u = Math.cos(degrees * Math.PI / 180), v = Math.sin(degrees * Math.PI / 180);
    return [x + far * gap * u + one(u) * a, y + far * gap * v + one(v) * b];
  }));
}
function besideEdge(points, a, b, scale) {
  const gap = Math.max(0.05, 5 / scale);
  return [1, 2.2].flatMap((far) => [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.2, 0.8, 0.14, 0.86].flatMap((t) => {
    const k = Math.round(t * (points.length - 1)), [p, q] = [points[Math.max(k - 1, 0)], points[Math.min(k + 1, points.length - 1)]];
    const [dx, dy] = [q[0] - p[0], q[1] - p[1]], l = Math.hypot(dx, dy) || 1, [u, v] = [-dy / l, dx / l], reach = far * gap + Math.abs(u) * a + Math.abs(v) * b;
    return [[points[k][0] + reach * u, points[k][1] + reach * v], [points[k][0] - reach * u, points[k][1] - reach * v]];
  }));
}
// every place with what it costs: what it would cover of nodes and lines, and what of it is not seen
function judged(t, a, b, scale, seen) {
  const edge = t.on === "edge" && near.of.edges.find((e) => e.name === t.of);
  const places = edge ? besideEdge(edge.points, a, b, scale) : besideNode(t.of, a, b, scale), margin = 1.5 / scale;
  const [x0, x1, y0, y1] = [0, 1].flatMap((c) => [Math.min(...places.map((p) => p[c])) - [a, b][c] - margin, Math.max(...places.map((p) => p[c])) + [a, b][c] + margin]);
  const is_near = ([x, y]) => x > x0 && x < x1 && y > y0 && y < y1;
  const nodes = Object.values(near.of.nodes).filter(is_near), lines = near.of.edges.map((e) => [e.points.filter(is_near), e.is_branch ? 4 : 2]).filter(([l]) => l.length);
  const unseen = (x, y) => (seen ? 40 * (Math.max(0, Math.abs(x - seen[0]) + a - seen[2]) / a + Math.max(0, Math.abs(y - seen[1]) + b - seen[3]) / b) : 0);
  return places.map(([x, y], i) => {
    const hits = (points, more) => { let n = 0; for (const [u, v] of points) n += Math.abs(u - x) < a + more && Math.abs(v - y) < b + more; return n; };
    let cost = 0.12 * i + 12 * hits(nodes, 3 / scale);
    for (const [points, weight] of lines) cost += weight * Math.min(6, hits(points, margin));
    if (edge) return { x, y, cost: cost + unseen(x, y) };
    // nearer to another node it would be that one's name
    const away = ([u, v]) => Math.hypot(Math.max(0, Math.abs(u - x) - a), Math.max(0, Math.abs(v - y) - b)), own = away(near.of.nodes[t.of]);
    return { x, y, cost: cost + unseen(x, y) + 40 * nodes.filter((p) => away(p) < 0.99 * own).length };
  });
}
function frameGraph() {
  const svg = $("graph"), whole = near.box || near.whole || [0, 0, 1, 1], [, , w, h] = whole;
  svg.setAttribute("viewBox", whole.join(" "));
  const scale = Math.min(svg.clientWidth / w, svg.clientHeight / h) || 1, taken = [];
  let hidden = 0;
  const rank = (t) => (t.on === "edge" ? (t.of === state.picked ? -1 : 1) : t.weight === "bold" ? 0 : 2);
  for (const [line, wide, least] of near.lines) line.setAttribute("stroke-width", Math.max(wide, least / scale));
  for (const [dot, r, least] of near.dots) dot.setAttribute("r", Math.max(r, least / scale));
  for (const [tip, [x, y], [u, v], own, least] of near.tips) {
    const s = Math.max(own, least / scale);
    tip.setAttribute("points", [[1.6, 0], [-1, 1], [-1, -1]].map(([a, b]) => `${x + s * (a * u - b * v)},${-y - s * (a * v + b * u)}`).join(" "));
  }
  // a name that keeps its size keeps its place; the others look for one among those that are left
  const seen = near.box ? null : [whole[0] + w / 2, -whole[1] - h / 2, (svg.clientWidth / 2 - 3) / scale, (svg.clientHeight / 2 - 3) / scale];
  const names = near.of.texts.map((t, i) => {
    const size = Math.max(t.size / 72, LETTERS / scale), b = 0.5 * size, a = (t.weight === "bold" ? 0.7 : 0.6) * b * t.text.length;
    const is_grown = size > 1.02 * t.size / 72;
    return { i, size, a, b, rank: rank(t), is_grown, x: t.at[0], y: t.at[1], places: is_grown ? judged(t, a, b, scale, seen) : [] };
  }).sort((m, n) => m.rank - n.rank);
  const cover = (m, x, y) => names.reduce((sum, n) => sum + (n === m || n.x === undefined ? 0 : Math.max(0, m.a + n.a - Math.abs(n.x - x)) * Math.max(0, m.b + n.b - Math.abs(n.y - y))), 0) / (4 * m.a * m.b);
  for (const n of names) if (n.is_grown) n.x = undefined;
  for (let pass = 0; pass < 3; pass++) for (const n of names) if (n.is_grown) {
    let least = Infinity;
    for (const p of n.places) {
      if (p.cost >= least) continue;
      const over = cover(n, p.x, p.y), cost = p.cost + (over > 0 ? 8 + 60 * over : 0);
      if (cost < least) { least = cost; n.next = p; }
    }
    n.x = n.next.x; n.y = n.next.y;
  }
  for (const n of names) {
    const covers = n.is_grown && taken.some((m) => Math.abs(m.x - n.x) < 0.98 * (m.a + n.a) && Math.abs(m.y - n.y) < 0.98 * (m.b + n.b)), text = near.texts[n.i];
    for (const [key, value] of [["font-size", n.size], ["x", n.x], ["y", -n.y]]) text.setAttribute(key, value);
    text.style.display = covers ? "none" : "";
    if (covers) hidden++; else taken.push(n);
  }
  $("unnamed").textContent = hidden ? `${hidden} name${hidden > 1 ? "s appear" : " appears"} when you come near: wheel, drag; double-click shows all.` : "";
}

function watchGraph() {
  const svg = $("graph");
  let from = null, is_moved = false;
  const at = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  svg.addEventListener("wheel", (event) => {
    if (!near.of) return;
    event.preventDefault();
    const [x, y, w, h] = near.box || near.whole, p = at(event), s = Math.max(event.deltaY > 0 ? 1.25 : 0.8, 0.05 * near.whole[2] / w);
    near.box = s * w >= near.whole[2] ? null : [p.x - (p.x - x) * s, p.y - (p.y - y) * s, s * w, s * h];
    frameGraph();
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => { from = near.of && at(event); is_moved = false; });
  svg.addEventListener("pointermove", (event) => {
    if (!from || !event.buttons) return;
    const p = at(event), [x, y, w, h] = near.box || near.whole;
    if (!is_moved && Math.hypot(p.x - from.x, p.y - from.y) < 0.01 * w) return;
    is_moved = true; near.box = [x + from.x - p.x, y + from.y - p.y, w, h]; frameGraph();
  });
  svg.addEventListener("pointerup", () => { from = null; });
  svg.addEventListener("click", (event) => { if (is_moved) event.stopPropagation(); }, true);  // a drag picks nothing
  svg.addEventListener("dblclick", () => { near.box = null; if (near.of) frameGraph(); });
  new ResizeObserver(() => { if (near.of) frameGraph(); }).observe(svg);
}

// ---- picking --------------------------------------------------------------------------------------

function pick(name, stays = false) {
  state.picked = state.picked === name ? "" : name;
  const has = (key) => told.graph[key] && told.graph[key].edges.some((e) => e.name === state.picked);
  if (state.picked && !stays && !has(state.graph)) {  // shown in the graph it is in
    state.graph = ["T", "R", "N"].find(has) || state.graph;
    for (const k of ["T", "R", "N"]) $("show" + k).classList.toggle("on", k === state.graph);
  }
  const lit = new Map(), sets = partners(state.picked);
  const arms = new Map(told.edges.filter((e) => e.role === "arm").map((e) => [e.name, e.tail]));
  const mark = (name, colour) => lit.set(arms.get(name) || name, colour);  // an arm lights its body
  for (const [n] of sets.cutset) mark(n, "#5c3a00");
  for (const [n] of sets.circuit) mark(n, "#00493d");
  if (state.picked) mark(state.picked, "#80003f");
  if (stage) { stage.light(lit); }
  drawGraph(); showPicked(); choosePicked(); lightEquations();
  for (const label of $("names").querySelectorAll("label")) label.classList.toggle("hit", !!state.picked && label.dataset.edge === state.picked);
  if (stage) stage.redraw();
  redrawPanes();
}

function math(tree) {
  const ML = "http://www.w3.org/1998/Math/MathML";
  const allowed = new Set(["math", "mrow", "mi", "mn", "mo", "msub", "msup", "msubsup", "mfrac", "msqrt", "mover", "munder", "mtable", "mtr", "mtd", "mtext", "mspace"]);
  if (typeof tree === "string") return document.createTextNode(tree);
  if (!Array.isArray(tree) || !allowed.has(tree[0])) return document.createTextNode("");
  const element = document.createElementNS(ML, tree[0]);
  for (const child of tree.slice(1)) element.append(math(child));
  return element;
}

function sum(terms, letter) {
  const pieces = terms.map(([name, sign], i) => ["math", ["mrow", ...(i ? [["mrow"]] : []), ...(i || sign < 0 ? [["mo", sign < 0 ? "−" : "+"]] : []), ["msub", letter, ["mtext", name]]]]);
  return [...pieces, ["math", ["mo", "="], ["mn", "0"]]];
}

function product(terms) {
  const pieces = terms.map(([name, sign]) => ["math", sign > 0 ? ["msub", ["mi", "R"], ["mtext", name]] : ["msubsup", ["mi", "R"], ["mtext", name], ["mi", "T"]]]);
  return [...pieces, ["math", ["mo", "="], ["mn", "1"]]];
}

function showPicked() {
  const place = $("picked");
  place.replaceChildren();
  const edge = told.edges.find((e) => e.name === state.picked);
  if (!edge) { place.append(make("p", { class: "idle", text: "Pick an edge of the graph" + (told.bodies.length ? ", or a body, joint or spring in the picture" : "") + ": its partners, its curve and its equations appear here." })); return; }
  place.append(make("h2", { text: edge.name }), make("p", { text: `${edge.kind} (${edge.role}), from ${edge.tail} to ${edge.head}` + (edge.told ? `: ${edge.told}` : "") }));
  const curves = told.runs[0].curves.filter((c) => c.edge === edge.name);
  if (curves.length) {
    const table = make("table");
    for (const c of curves.filter((c) => c.group === "state" || c.group === "channels")) table.append(make("tr", {}, make("td", { text: c.name.replace("state/", "") }), make("td", { class: "number", "data-curve": c.name }), make("td", { text: unitOf(c) })));
    place.append(table);
  }
  for (const key of ["T", "R", "N"]) {
    const net = told.graph[key], sets = partners(edge.name, key);
    if (!net || !(sets.cutset.length || sets.circuit.length)) continue;
    if (key === "N") {
      if (sets.cutset.length) place.append(make("h3", { text: "branch of the network's tree: through its cutset" }), equation({ pieces: sum(sets.cutset, ["mi", "τ"]) }));
      if (sets.circuit.length) place.append(make("h3", { text: "chord of the network's tree: across its circuit" }), equation({ pieces: sum(sets.circuit, ["mi", "α"]) }));
      continue;
    }
    const word = key === "T" ? "translational" : "rotational";
    if (sets.cutset.length) place.append(make("h3", { text: `branch of the ${key}-tree: its ${word} cutset` }), equation({ pieces: sum(sets.cutset, ["mrow", ["mi", "δ"], ["mi", "W"]]) }));
    if (sets.circuit.length) place.append(make("h3", { text: `chord of the ${key}-tree: its ${word} circuit` }), equation({ pieces: key === "T" ? sum(sets.circuit, ["mi", "r"]) : product(sets.circuit) }));
  }
  const own = told.equations.flatMap((s) => s.lines).filter((line) => line.edge === edge.name);
  if (own.length) { place.append(make("h3", { text: "its equation" })); own.forEach((line) => place.append(equation(line))); }
  readPicked();
}

function readPicked() {
  for (const cell of $("picked").querySelectorAll("[data-curve]")) cell.textContent = figure(valueAt(told.runs[0].curves.find((c) => c.name === cell.dataset.curve)), 8);
}

function equation(line) {
  const place = make("div", { class: "equation" });
  const pieces = line.pieces || [];
  if (line.label) place.append(make("span", { class: pieces.length ? "label" : "words", text: line.label }));
  if (line.edge) place.dataset.edge = line.edge;
  // one formula, or pieces between which a line may end
  for (const piece of pieces) place.append(math(piece), " ");
  if (line.note) place.append(make("span", { class: "label", text: line.note }));
  return place;
}

function showEquations() {
  const place = $("equations");
  if (!told.equations.length) { place.append(make("p", { class: "idle", text: "The page was made from a result file alone. Made from the case (flexnet view CASE.py) it holds the equations of motion as well; cutsets and circuits of every edge are under “picked”." })); return; }
  for (const section of told.equations) {
    place.append(make("h2", { text: section.title }));
    if (section.about) place.append(make("p", { text: section.about }));
    section.lines.forEach((line) => place.append(equation(line)));
  }
}

function lightEquations() {
  for (const place of document.querySelectorAll("#equations .equation")) {
    const hit = !!state.picked && place.dataset.edge === state.picked;
    place.classList.toggle("hit", hit);
  }
}

// ---- curves -----------------------------------------------------------------------------------------

const chosen = new Set();
function runTime(k) { const run = told.runs[k]; return run.t || (run.t = numbers(run.time)); }
function valuesOf(curve) { return curve.array || (curve.array = numbers(curve.values)); }
function valueAt(curve, k = 0) {
  const [row, f] = locate(runTime(k), state.t), v = valuesOf(curve);
  return f ? v[row] * (1 - f) + v[row + 1] * f : v[row];
}

// N*m, N m and N·m are one unit, and have one diagram
const unitOf = ({ unit }) => (unit === "1" ? "" : (unit || "").trim().replace(/\s*\*\s*|\s+/g, "·").replace(/\^(-?\d)/g, (all, n) => [...n].map((d) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(d)]).join("")));
function listCurves() {
  const place = $("names"), groups = {};
  for (const curve of told.runs[0].curves) (groups[curve.group] = groups[curve.group] || []).push(curve);
  if (groups.channels) groups.channels.sort((a, b) => !!a.edge - !!b.edge);  // what the case asks for before what every network has
  const titles = { channels: "channels of the case", state: "coordinates", joints: "loads of joints", energy: "energies" };
  for (const key of ["channels", "state", "joints", "energy"]) {
    if (!groups[key]) continue;
    place.append(make("h3", { text: titles[key] }));
    for (const curve of groups[key]) {
      const box = make("input", { type: "checkbox" }), label = make("label", { title: curve.about || curve.name }, box, " " + curve.name.replace(/^(state|joints|energy)\//, "") + (unitOf(curve) ? ` [${unitOf(curve)}]` : ""));
      box.dataset.curve = curve.name; label.dataset.edge = curve.edge;
      box.addEventListener("change", () => { if (box.checked) chosen.add(curve.name); else chosen.delete(curve.name); buildPanes(); });
      place.append(label);
    }
  }
  const first = groups.channels || groups.state || groups.energy || [];
  const beside = new Set(told.references.map((r) => r.channel));
  (beside.size ? first.filter((c) => beside.has(c.name)) : first).slice(0, 3).forEach((c) => chosen.add(c.name));
  tick();
  $("filter").addEventListener("input", () => { const words = $("filter").value.toLowerCase(); for (const label of place.querySelectorAll("label")) label.hidden = !label.textContent.toLowerCase().includes(words); });
}

function tick() { for (const box of $("names").querySelectorAll("input")) box.checked = chosen.has(box.dataset.curve); }

let added = [];
function choosePicked() {  // the coordinate of a picked edge joins the curves, and goes with it
  added.forEach((name) => chosen.delete(name));
  added = [];
  const own = told.runs[0].curves.filter((c) => c.edge && c.edge === state.picked);
  const wanted = own.filter((c) => c.name.startsWith("state/q/")), told_of = own.filter((c) => valuesOf(c).some((x) => x));
  for (const c of (wanted.length ? wanted : told_of.length ? told_of : own).slice(0, 6)) if (!chosen.has(c.name)) { chosen.add(c.name); added.push(c.name); }
  tick(); buildPanes();
}

function buildPanes() {
  const place = $("panes"), units = new Map();
  for (const curve of told.runs[0].curves) if (chosen.has(curve.name)) { const key = unitOf(curve) || `(${curve.name.replace(/\/?[^/]*$/, "") || curve.group})`; if (!units.has(key)) units.set(key, []); units.get(key).push(curve); }
  place.replaceChildren();
  panes = [...units].slice(0, 6).map(([unit, curves]) => {
    const canvas = make("canvas"), caption = make("figcaption");
    place.append(make("figure", {}, caption, make("div", {}, canvas)));
    const pane = { unit, curves, canvas, caption };
    watch(pane);
    return pane;
  });
  if (!panes.length) place.append(make("p", { text: "Choose curves on the left." }));
  redrawPanes();
}

const PAD = { left: 66, right: 22, top: 8, bottom: 26 };
function range() { return state.window || [time[0], time[time.length - 1] > time[0] ? time[time.length - 1] : time[0] + 1]; }
function watch(pane) {
  const toTime = (event) => { const box = pane.canvas.getBoundingClientRect(), [a, b] = range(); return a + (b - a) * (event.clientX - box.left - PAD.left) / (box.width - PAD.left - PAD.right); };
  let from = null;
  pane.canvas.addEventListener("pointerdown", (event) => { from = toTime(event); pane.canvas.setPointerCapture(event.pointerId); });
  pane.canvas.addEventListener("pointermove", (event) => { if (from !== null) { pane.drag = [from, toTime(event)]; drawPane(pane); } });
  pane.canvas.addEventListener("pointerup", (event) => {
    const to = toTime(event), [a, b] = range();
    pane.drag = null;
    if (from !== null && Math.abs(to - from) > 0.02 * (b - a)) state.window = [Math.max(Math.min(from, to), time[0]), Math.min(Math.max(from, to), time[time.length - 1])];
    else seek(to);
    from = null; redrawPanes();
  });
  pane.canvas.addEventListener("dblclick", () => { state.window = null; redrawPanes(); });
  pane.canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const t = toTime(event), [a, b] = range(), s = event.deltaY > 0 ? 1.25 : 0.8;
    state.window = [Math.max(time[0], t - (t - a) * s), Math.min(time[time.length - 1], t + (b - t) * s)];
    redrawPanes();
  }, { passive: false });
}

function redrawPanes() { panes.forEach(drawPane); }
// round numbers from a to b: about as many as wanted, two at the least, or an axis says no scale
function ticks(a, b, wanted) {
  const raw = (b - a) / wanted, power = 10 ** Math.floor(Math.log10(raw)), steps = [10, 5, 2, 1, 0.5, 0.2].map((x) => x * power);
  let out = [];
  for (const step of steps.slice(steps.filter((x) => x >= raw).length - 1)) {
    out = [];
    for (let x = Math.ceil(a / step) * step; x <= b + 1e-9 * step; x += step) out.push(Math.abs(x) < 1e-9 * step ? 0 : x);
    if (out.length > 1) break;
  }
  return out;
}
// as many digits as tell one from the next
function written(marks) {
  const most = Math.max(...marks.map(Math.abs)), step = marks[1] - marks[0], digits = Math.min(15, Math.max(5, Math.ceil(Math.log10(most / step)) + 1));
  return marks.map((x) => short(x, digits || 5));
}
const short = (x, digits = 5) => { const s = Number(x.toPrecision(digits)); return Math.abs(s) >= 1e5 || (s && Math.abs(s) < 1e-3) ? s.toExponential(digits - 3).replace(/\.?0+e/, "e") : String(s); };

function drawPane(pane) {
  const { canvas } = pane, w = canvas.clientWidth, h = canvas.clientHeight, ratio = Math.min(devicePixelRatio || 1, 2);
  if (!w || !h) return;
  canvas.width = w * ratio; canvas.height = h * ratio;
  const g = canvas.getContext("2d"), css = getComputedStyle(document.documentElement), ink = css.getPropertyValue("--ink"), soft = css.getPropertyValue("--soft"), grid = css.getPropertyValue("--line");
  g.scale(ratio, ratio); g.clearRect(0, 0, w, h); g.font = "11px system-ui, sans-serif";
  const [a, b] = range(), series = [], top = PAD.top + (told.events.length ? 13 : 0);  // names of events stand above all curves
  pane.curves.forEach((curve) => told.runs.forEach((run, k) => {
    const other = run.curves.find((c) => c.name === curve.name);
    if (other) series.push({ curve, run: k, t: runTime(k), v: valuesOf(other), colour: told.colours[pane.curves.indexOf(curve) % told.colours.length] });
  }));
  const beside = told.references.filter((r) => pane.curves.some((c) => c.name === r.channel));
  let low = Infinity, high = -Infinity;
  const widen = (t, v, band = 0) => { for (let i = 0; i < t.length; i++) if (t[i] >= a && t[i] <= b && isFinite(v[i])) { low = Math.min(low, v[i] - band); high = Math.max(high, v[i] + band); } };
  series.forEach((s) => widen(s.t, s.v));
  const drawn = beside.filter((r) => (pane.curves.find((c) => c.name === r.channel).unit || "") === r.unit);
  drawn.forEach((r) => widen(numbers(r.time), numbers(r.values), r.band));
  if (!(low <= high)) { low = -1; high = 1; }
  const room = (high - low || Math.abs(high) || 1) * 0.07; low -= room; high += room;
  const X = (t) => PAD.left + (w - PAD.left - PAD.right) * (t - a) / (b - a), Y = (v) => h - PAD.bottom - (h - top - PAD.bottom) * (v - low) / (high - low);
  g.strokeStyle = grid; g.fillStyle = soft; g.lineWidth = 1; g.textBaseline = "middle";
  const marks = ticks(low, high, Math.max(3, h / 45)), moments = ticks(a, b, Math.max(3, w / 110)), atMarks = written(marks), atMoments = written(moments);
  marks.forEach((v, i) => { g.beginPath(); g.moveTo(PAD.left, Y(v)); g.lineTo(w - PAD.right, Y(v)); g.stroke(); g.textAlign = "right"; g.fillText(atMarks[i], PAD.left - 5, Y(v)); });
  moments.forEach((t, i) => { g.beginPath(); g.moveTo(X(t), top); g.lineTo(X(t), h - PAD.bottom); g.stroke(); g.textAlign = "center"; g.fillText(atMoments[i] + " s", X(t), h - PAD.bottom + 12); });
  g.save(); g.translate(11, (h - PAD.bottom + top) / 2); g.rotate(-Math.PI / 2); g.textAlign = "center"; g.fillStyle = ink; g.fillText(pane.unit, 0, 0); g.restore();
  g.save(); g.beginPath(); g.rect(PAD.left, top, w - PAD.left - PAD.right, h - top - PAD.bottom); g.clip();
  const trace = (t, v) => {
    const inside = Math.max(1, Math.floor((locate(t, b)[0] - locate(t, a)[0]) / (4 * w)));
    g.beginPath(); let open = false;
    for (let i = Math.max(0, locate(t, a)[0]); i < t.length; i += inside) { if (!isFinite(v[i])) { open = false; continue; } if (open) g.lineTo(X(t[i]), Y(v[i])); else g.moveTo(X(t[i]), Y(v[i])); open = true; if (t[i] > b) break; }
    g.stroke();
  };
  for (const r of drawn) {
    const t = numbers(r.time), v = numbers(r.values);
    if (r.band) { g.fillStyle = "#5f6b7633"; g.beginPath(); for (let i = 0; i < t.length; i++) g.lineTo(X(t[i]), Y(v[i] + r.band)); for (let i = t.length - 1; i >= 0; i--) g.lineTo(X(t[i]), Y(v[i] - r.band)); g.closePath(); g.fill(); }
    g.setLineDash([5, 4]); g.strokeStyle = soft; g.lineWidth = 1.4; trace(t, v); g.setLineDash([]);
  }
  for (const s of series) { g.strokeStyle = s.colour; g.lineWidth = state.picked && s.curve.edge === state.picked ? 3 : 1.6; g.setLineDash(s.run ? [8, 3, 2, 3].slice(0, 2 + 2 * (s.run % 2)) : []); trace(s.t, s.v); }
  g.setLineDash([2, 3]); g.strokeStyle = g.fillStyle = soft; g.lineWidth = 1; g.textAlign = "left"; let named = -Infinity; const names = [];
  for (const [t, name] of told.events) if (t >= a && t <= b) {  // a name where there is room for it
    g.beginPath(); g.moveTo(X(t), top); g.lineTo(X(t), h - PAD.bottom); g.stroke();
    const long = g.measureText(name).width + 8, at = X(t) + long > w - PAD.right ? X(t) - long : X(t);
    if (at >= named) { names.push([name, at + 3]); named = at + long; }
  }
  g.setLineDash([]); g.strokeStyle = PICK; g.lineWidth = 1; g.beginPath(); g.moveTo(X(state.t), top); g.lineTo(X(state.t), h - PAD.bottom); g.stroke();
  if (pane.drag) { g.fillStyle = "#1f5fa833"; g.fillRect(X(Math.min(...pane.drag)), top, Math.abs(X(pane.drag[1]) - X(pane.drag[0])), h - top - PAD.bottom); }
  g.restore();
  g.fillStyle = soft; g.textAlign = "left";
  for (const [name, x] of names) g.fillText(name, x, top - 6);
  pane.caption.replaceChildren();
  for (const s of series) {
    const line = make("span"), mark = make("b", { text: "― " });
    mark.style.color = s.colour;
    const name = s.curve.name.replace(/^(state|joints|energy)\//, "") + (told.runs.length > 1 ? ` (${told.runs[s.run].name}${s.run ? ", broken" : ""})` : "");
    const value = valueAt(told.runs[s.run].curves.find((c) => c.name === s.curve.name), s.run);
    line.append(mark, `${name} = `, make("span", { "data-read": s.run + ":" + s.curve.name, text: figure(value, 6) }), ` ${unitOf(s.curve)}`);
    pane.caption.append(line);
  }
  for (const r of beside) pane.caption.append(make("span", { class: r.is_within === false ? "warned" : "fine", text: `- - ${r.source}: ${r.column}` + (r.limit ? `, band ${r.limit}: ${r.is_within ? "within" : "EXCEEDED"}` : "") + (drawn.includes(r) ? "" : ` (in ${r.unit}, not drawn)`) }));
}

// ---- energy, model ------------------------------------------------------------------------------------

function row(table, ...cells) { table.append(make("tr", {}, ...cells.map((c) => make("td", typeof c === "number" ? { class: "number", text: short(c) } : { text: c })))); }

function showEnergy() {
  const place = $("energy"), audit = told.audit;
  if (!Object.keys(audit).length) { place.append(make("p", { text: "The file holds no energies." })); return; }
  const share = audit.over / audit.scale;
  place.append(make("h2", { text: "energy audit" }));
  place.append(make("p", { class: share < 1e-3 ? "fine" : "warned", text: `The balance leaves ${short(audit.over)} J over at most, at t = ${short(audit.at)} s: ${short(100 * share)} % of the ${short(audit.scale)} J that go round.` }));
  const table = make("table");
  const words = { network: "stored in networks", sources: "put in by sources of networks", ports: "put into networks by motion", losses: "lost in networks", scheme: "taken by the scheme itself" };
  const told_as = (x) => (Math.abs(x) < 1e-12 * audit.scale ? 0 : x);  // what is left where sums cancel
  row(table, "energy", "start, J", "end, J");
  for (const [name, [start, end]] of Object.entries(audit.energies)) row(table, words[name] || name, told_as(start), told_as(end));
  if (Object.keys(audit.works).length) row(table, "work since the start", "", "");
  for (const [name, value] of Object.entries(audit.works)) row(table, words[name] || name, "", told_as(value));
  place.append(table);
  const show = make("button", { text: "show the curves" });
  show.addEventListener("click", () => { chosen.clear(); told.runs[0].curves.filter((c) => c.group === "energy" && [...Object.keys(audit.energies), ...Object.keys(audit.works), "total"].includes(c.name.slice(7))).forEach((c) => chosen.add(c.name)); tick(); buildPanes(); });
  place.append(make("p", { class: "idle" }, show));
}

function showEvents() {  // what happened when; a click goes there
  const place = $("events"), table = make("table");
  for (const b of $("tabs").children) if (b.dataset.tab === "events") b.hidden = !told.events.length;
  row(table, "event", "t, s", "impulse, N s or N m s", "energy, J");
  for (const [t, name, impulse, energy] of told.events) {
    row(table, name, t, impulse ?? "", energy ?? "");
    const line = table.lastChild; line.style.cursor = "pointer"; line.addEventListener("click", () => seek(t));
  }
  if (told.events.length) place.append(make("h2", { text: "events" }), table);
}

function showModel() {
  const place = $("model"), model = told.model;
  place.append(make("h2", { text: model.file }), make("p", { class: model.status === "finished" ? "fine" : "warned", text: `${model.status}, ${model.rows} rows` }));
  if (model.message) place.append(make("h3", { text: "what the run said: dropped, replaced, warned" }), make("p", { class: "said", text: model.message }));
  if (told.notes.length) { place.append(make("h3", { text: "what the page leaves out" })); told.notes.forEach((n) => place.append(make("p", { text: n }))); }
  const counts = make("table");
  for (const [role, n] of Object.entries(model.counts)) row(counts, role, n);
  place.append(make("h3", { text: "made of" }), counts);
  const edges = make("table");
  row(edges, "name", "kind", "from", "to", "");
  for (const e of told.edges) if (["body", "joint", "driver", "force", "network"].includes(e.role)) {
    row(edges, e.name, e.kind, e.tail, e.head, e.told);
    const line = edges.lastChild; line.style.cursor = "pointer"; line.addEventListener("click", () => pick(e.name));
  }
  place.append(make("h3", { text: "components" }), edges);
  if (Object.keys(model.parameters).length) { const table = make("table"); for (const [k, v] of Object.entries(model.parameters)) row(table, k, v); place.append(make("h3", { text: "parameters" }), table); }
  const trees = make("table");
  for (const [k, names] of Object.entries(model.trees)) row(trees, k, names.join(", "));
  place.append(make("h3", { text: "trees" }), trees);
  const table = make("table");
  for (const [k, v] of Object.entries(model.provenance)) row(table, k, v);
  place.append(make("h3", { text: "provenance" }), table);
}

// ---- time goes by -----------------------------------------------------------------------------------------

const figure = (x, digits) => (x && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e7) ? x.toExponential(digits - 1) : x.toPrecision(digits));
function seek(t) {
  state.t = Math.min(Math.max(t, time[0]), time[time.length - 1]);
  $("slider").value = state.t;
  $("now").textContent = `t = ${figure(state.t, 6)} s`;
  if (stage) { stage.place(state.t); stage.redraw(); }
  redrawPanes(); readPicked();
}

function play(is_playing) {
  state.playing = is_playing;
  $("play").textContent = is_playing ? "❚❚" : "▶";
  if (!is_playing) return;
  if (state.t >= time[time.length - 1]) seek(time[0]);
  let before = performance.now();
  const next = (now) => {
    if (!state.playing) return;
    const t = state.t + state.speed * (now - before) / 1000;
    before = now;
    seek(t);
    if (t >= time[time.length - 1]) play(false); else requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

function step(rows) { const [k, f] = locate(time, state.t); seek(time[Math.min(Math.max(k + rows + (rows < 0 && f ? 1 : 0), 0), time.length - 1)]); }

function controls() {
  const length = time[time.length - 1] - time[0] || 1, slider = $("slider");
  slider.min = time[0]; slider.max = time[time.length - 1];
  slider.addEventListener("input", () => seek(Number(slider.value)));
  const natural = 10 ** Math.round(Math.log10(length / 6)), speeds = [...new Set([0.01, 0.1, 0.25, 1, 2, natural / 10, natural / 4, natural, natural * 2].map((x) => Number(x.toPrecision(3))))].sort((a, b) => a - b);
  state.speed = natural > 3 || natural < 0.3 ? natural : 1;
  for (const s of speeds) { const option = make("option", { value: s, text: s === 1 ? "1 (real)" : String(s) }); option.selected = s === state.speed; $("speed").append(option); }
  $("speed").addEventListener("change", () => { state.speed = Number($("speed").value); });
  $("play").addEventListener("click", () => play(!state.playing));
  $("factor").addEventListener("change", () => { state.factor = Number($("factor").value); if (stage) stage.hold(); seek(state.t); });
  const is_flexible = bodies.some((b) => b.modes);
  for (const name of ["", ...(is_flexible ? ["deflection"] : []), ...told.fields.map((x) => x.name)]) $("tint").append(make("option", { value: name, text: name || "body" }));
  $("tint").addEventListener("change", () => { state.tint = $("tint").value; seek(state.t); });
  $("follow").addEventListener("change", () => stage && stage.follow($("follow").checked));
  for (const key of ["trails", "arrows"]) $(key).addEventListener("change", () => { state[key] = $(key).checked; if (stage && key === "arrows" && state.arrows) stage.view("same"); seek(state.t); });
  $("stretch").hidden = !is_flexible; $("tint").parentElement.hidden = !is_flexible;
  for (const button of $("views").children) button.addEventListener("click", () => stage && stage.view(button.dataset.view));
  for (const key of ["T", "R", "N"]) $("show" + key).addEventListener("click", () => showGraph(key));
  for (const button of $("tabs").children) button.addEventListener("click", () => showTab(button.dataset.tab));
  $("shade").addEventListener("click", () => { document.documentElement.classList.toggle("dark"); if (stage) stage.redraw(); redrawPanes(); });
  const paper = matchMedia("print");
  addEventListener("beforeprint", () => print(true)); addEventListener("afterprint", () => print(false));
  paper.addEventListener("change", () => print(paper.matches));
  if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
  document.addEventListener("keydown", key);
  watchGraph();
  new ResizeObserver(redrawPanes).observe($("panes"));
}

let shaded = false;
function print(is_paper) {  // drawn anew for the width of a sheet, dark on light, and back afterwards
  const { classList: as } = document.documentElement;
  if (is_paper === as.contains("paper")) return;
  if (is_paper) shaded = as.contains("dark");
  as.toggle("paper", is_paper); as.toggle("dark", !is_paper && shaded);
  if (stage) { stage.resize(); stage.draw(); }
  if (near.of) frameGraph();
  redrawPanes();
}

function showGraph(key) { state.graph = key; for (const k of ["T", "R", "N"]) $("show" + k).classList.toggle("on", k === key); drawGraph(); if (state.picked) { const name = state.picked; state.picked = ""; pick(name, true); } }
function showTab(name) { for (const b of $("tabs").children) { b.classList.toggle("on", b.dataset.tab === name); $(b.dataset.tab).hidden = b.dataset.tab !== name; } }

function key(event) {
  if (event.key === " " && event.target.matches("button:focus-visible")) return;  // it is the button that is pressed
  if (["INPUT", "SELECT"].includes(event.target.tagName) && event.target.type !== "range" && event.target.type !== "checkbox") return;
  const acts = { " ": () => play(!state.playing), ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => seek(time[0]), End: () => seek(time[time.length - 1]), g: () => { const known = ["T", "R", "N"].filter((k) => told.graph[k]); if (known.length) showGraph(known[(known.indexOf(state.graph) + 1) % known.length]); }, t: () => $("trails").click(), f: () => $("arrows").click(), c: () => $("follow").click(), 1: () => stage.view("iso"), 2: () => stage.view("x"), 3: () => stage.view("y"), 4: () => stage.view("z"), Escape: () => state.picked && pick(state.picked) };
  if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
}

// ---- a run that is under way: rows that came since are asked for, and take the place of those there are -----

async function take(news) {
  const follows = state.t >= time[time.length - 1];
  Object.assign(told, news.told);
  $("numbers").textContent = news.numbers;
  await unpack();
  time = numbers(told.time);
  told.bodies.forEach((b, i) => { bodies[i].position = numbers(b.position); bodies[i].quaternion = numbers(b.quaternion); if (b.modes) bodies[i].elastic = numbers(b.elastic); });
  told.parts.forEach((p, i) => { for (const key of ["tail", "head"]) if (p[key].position) parts[i][key] = { position: numbers(p[key].position), quaternion: p[key].quaternion && numbers(p[key].quaternion) }; });
  if (stage) stage.renew();
  $("slider").max = time[time.length - 1];
  tellStatus();
  for (const [name, show] of [["energy", showEnergy], ["events", showEvents], ["model", showModel]]) { $(name).replaceChildren(); show(); }
  buildPanes();
  seek(follows ? time[time.length - 1] : state.t);
}

async function listen(address) {
  $("stop").hidden = false;
  $("stop").addEventListener("click", () => { $("stop").disabled = true; fetch(address + "stop", { method: "POST" }); });
  while (told.model.status === "running") {
    await new Promise((go) => setTimeout(go, 400));
    let answer = null;
    try { answer = await fetch(`${address}data?rows=${told.model.rows}&status=${told.model.status}`); } catch (error) { /* said below */ }
    if (answer && answer.status === 200) await take(await answer.json());
    else if (!answer || answer.status !== 204) { $("status").textContent += " (it is gone; these are the rows it had sent)"; break; }
  }
  // once more: now the run knows that its last rows have been seen
  try { await fetch(`${address}data?rows=${told.model.rows}&status=${told.model.status}`); } catch (error) { /* it is gone */ }
  $("stop").hidden = true;
}

function tellStatus() {
  $("status").textContent = `${told.runs.map((r) => r.name).join(", ")}: ${told.runs[0].status}`;
  $("status").className = ["finished", "running"].includes(told.runs[0].status) ? "" : "warned"; $("status").title = told.model.message;
  $("notes").textContent = told.notes.join(" ");
}

// where a point of a body is now, in the ground, m: read off the objects that are drawn
function pointOf(name, i) {
  const body = bodies.find((b) => b.name === name), source = body.moved || body.points;
  body.group.updateMatrixWorld(true);
  const p = new THREE.Vector3(source[3 * i], source[3 * i + 1], source[3 * i + 2]).applyQuaternion(body.group.quaternion).add(body.group.position);
  return [p.x, p.y, p.z];
}

async function begin() {
  await unpack();
  time = numbers(told.time);
  $("title").textContent = told.title;
  tellStatus();
  readBodies();
  const live = document.body.dataset.live, first = live ? time[time.length - 1] : time[0];
  if (bodies.length) try { stage = new Stage(); stage.place(first); stage.draw(); performance.mark("first picture"); } catch (error) { $("hint").textContent = `The picture needs WebGL, which this browser does not give (${error.message}). Graph, curves and equations work without.`; }
  else document.body.classList.add("flat");  // a network: nothing moves in space
  if (stage && !document.hidden) await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));  // it is seen before the rest is made
  if (!told.graph.T && told.graph.N) state.graph = "N";
  controls(); listCurves(); showGraph(state.graph); showPicked(); showEquations(); showEnergy(); showEvents(); showModel(); buildPanes();
  seek(first);
  performance.mark("whole page");
  if (live) listen(live);
  return true;
}

window.flexnet = { told, state, seek, pick, play, step, pointOf, partners, time: () => time, stage: () => stage, ready: begin() };
