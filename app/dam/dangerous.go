package dam

import (
	"slices"
	"strings"
)

// DangerousExtension returns the extension of a file name if operating systems execute such
// files or browsers run their content, and "" otherwise. Extensions of pictures, videos,
// audio and documents are not dangerous. In a name with colons each part counts: on Windows
// "a.exe:b.jpg" is a stream of a.exe.
func DangerousExtension(name string) string {
	for part := range strings.SplitSeq(name, ":") {
		ext := Extension(strings.TrimRight(part, ". "))
		if _, found := slices.BinarySearch(dangerousExtensions, strings.TrimSpace(ext)); found {
			return ext
		}
	}
	return ""
}

// ProgramExtension returns the extension of a file name if it belongs to a program or a
// script, and "" otherwise. Unlike DangerousExtension it ignores documents whose content is
// only run by a browser that shows them as a page.
func ProgramExtension(name string) string {
	ext := DangerousExtension(name)
	if slices.Contains([]string{"atom", "dtd", "rdf", "rss", "xml", "xsd"}, ext) {
		return ""
	}
	return ext
}

// dangerousExtensions is sorted. It contains the types that Windows, macOS and Linux
// execute or open with an interpreter, that browsers show as a page of the site's origin,
// and that servers execute. Office documents, which may have macros, are not included.
// Sources:
// https://support.microsoft.com/office/blocked-attachments-in-outlook-434752e1-02d3-4e90-9124-8b81e49a8519,
// https://chromium.googlesource.com/chromium/src/+/main/components/safe_browsing/content/resources/download_file_types.asciipb
var dangerousExtensions = slices.Sorted(slices.Values(strings.Fields(`
	application appref-ms appx appxbundle appinstaller bat chm cmd com cpl dll drv exe gadget hlp hta inf ins isp its
	jse job lnk mde mht mhtml msc msh msh1 msh2 mshxml msi msix msixbundle msp mst msu ocx ops pif pl prg
	ps1 ps1xml ps2 ps2xml psc1 psc2 psd1 psm1 reg rgs scf scr sct settingcontent-ms shb shs search-ms searchconnector-ms library-ms
	sys theme themepack deskthemepack u3p url vb vbe vbs vbscript vhd vhdx vmdk website wcx ws wsc wsf wsh xbap xll xnk
	cab iso diagcab jnlp jar class rdp appcontent-ms
	action app applescript command dmg mpkg pkg scpt scptd seplugin terminal tool webloc inetloc fileloc workflow
	appimage bash csh deb desktop fish flatpak flatpakref ksh rpm run sh snap so dylib zsh
	cgi lua phar php php3 php4 php5 php7 php8 phps pht phtml py pyc pyo pyw pyz pyzw rb
	asa asax ascx ashx asmx asp aspx cer cfm cshtml jsp jspx shtm shtml stm vbhtml
	atom cjs dhtml dtd ecma es hta htc htm html htx js mjs rdf rss svg svgz swf wasm xht xhtm xhtml xml xsd xsl xslt xul`)))
