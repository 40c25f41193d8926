"use strict";
/* Colours as Grafana 11 names them, and the two themes. */

const HUES = {
  red: ["#FFA6B0", "#FF7383", "#F2495C", "#E02F44", "#C4162A"],
  orange: ["#FFCB7D", "#FFB357", "#FF9830", "#FF780A", "#FA6400"],
  yellow: ["#FFF899", "#FFEE52", "#FADE2A", "#F2CC0C", "#E0B400"],
  green: ["#C8F2C2", "#96D98D", "#73BF69", "#56A64B", "#37872D"],
  blue: ["#C0D8FF", "#8AB8FF", "#5794F2", "#3274D9", "#1F60C4"],
  purple: ["#DEB6F2", "#CA95E5", "#B877D9", "#A352CC", "#8F3BB8"],
};
const SHADES = ["super-light-", "light-", "", "semi-dark-", "dark-"];
const PALETTE = [
  "green", "semi-dark-yellow", "light-blue", "semi-dark-orange", "red", "blue", "purple", "#705DA0", "dark-green",
  "yellow", "#447EBC", "#C15C17", "#890F02", "#0A437C", "#6D1F62", "#584477", "#B7DBAB", "#F4D598",
];
const THEMES = {
  dark: { page: "#111217", panel: "#181b1f", border: "#2c3235", text: "#ccccdc", dim: "#9fa7b3", grid: "#2a2d33" },
  light: { page: "#f4f5f5", panel: "#ffffff", border: "#d8d9da", text: "#24292e", dim: "#5a6069", grid: "#e7e8ea" },
};
let theme = THEMES.dark;

function color(name) {
  if (!name || name === "text") return theme.text;
  if (name === "transparent") return "rgba(0,0,0,0)";
  for (const [hue, shades] of Object.entries(HUES)) {
    const at = SHADES.findIndex((shade) => shade + hue === name);
    if (at >= 0) return shades[at];
  }
  return name;
}

/* The same hue for each series of a role, lighter and darker in turn. */
function shadeOf(name, index) {
  const toward = (index % 2 === 1) === (theme === THEMES.dark) ? 255 : 0;
  const share = [0, 0.45, 0.3, 0.7, 0.5][index % 5];
  const parts = [1, 3, 5].map((at) => parseInt(color(name).slice(at, at + 2), 16));
  return `#${parts.map((part) => Math.round(part + (toward - part) * share).toString(16).padStart(2, "0")).join("")}`;
}

function faded(name, opacity) {
  const plain = color(name);
  if (!/^#[0-9a-f]{6}$/i.test(plain)) return plain;
  return plain + Math.round(opacity * 255).toString(16).padStart(2, "0");
}

function useTheme(name) {
  theme = THEMES[name];
  for (const [key, value] of Object.entries(theme)) document.documentElement.style.setProperty(`--${key}`, value);
}
