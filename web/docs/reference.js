// Shows the description of the API with Redoc, in the colours that the reader's
// system asks for.
"use strict";

function theme(dark) {
	const text = dark ? "#e6e9ed" : "#1f2328";
	const quiet = dark ? "#a3adb8" : "#59636e";
	const page = dark ? "#14171a" : "#ffffff";
	const raised = dark ? "#1f2428" : "#f3f4f6";
	const line = dark ? "#3a424a" : "#d1d9e0";
	const link = dark ? "#7db8ff" : "#0b5cad";
	return {
		colors: {
			primary: { main: link },
			text: { primary: text, secondary: quiet },
			border: { dark: line, light: line },
			gray: { 50: raised, 100: raised },
			responses: {
				success: { color: dark ? "#7ee2a0" : "#176b33", backgroundColor: raised, tabTextColor: "#7ee2a0" },
				error: { color: dark ? "#ff9a9a" : "#a51d2d", backgroundColor: raised, tabTextColor: "#ff9a9a" },
				redirect: { color: quiet, backgroundColor: raised, tabTextColor: "#ffd27d" },
				info: { color: link, backgroundColor: raised, tabTextColor: "#7db8ff" },
			},
		},
		schema: { nestedBackground: raised, linesColor: line, typeNameColor: quiet, typeTitleColor: quiet, labelsTextSize: "0.9em" },
		typography: {
			fontSize: "16px", lineHeight: "1.6", fontFamily: "system-ui, sans-serif",
			headings: { fontFamily: "system-ui, sans-serif", fontWeight: "600" },
			code: { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", fontSize: "14px", color: text, backgroundColor: raised },
			links: { color: link, visited: link, hover: link },
		},
		sidebar: { backgroundColor: page, textColor: text, activeTextColor: link },
		rightPanel: { backgroundColor: dark ? "#0d0f11" : "#22272e", textColor: "#e6e9ed" },
		codeBlock: { backgroundColor: dark ? "#1a1e22" : "#14171a" },
	};
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", () => window.location.reload());
window.Redoc.init("docs/api.json", { nativeScrollbars: true, theme: theme(dark.matches) }, document.getElementById("reference"));
