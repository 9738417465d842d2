#!/bin/bash
# Makes the pages on which text recognition is measured, each with its text: NAME.png or NAME.jpg and NAME.txt.
#   make.sh FOLDER     needs ImageMagick 6, fonts-liberation and fonts-dejavu-core
set -e
mkdir -p "$1"; cd "$1"
C="convert-im6.q16"; L=/usr/share/fonts/truetype/liberation; D=/usr/share/fonts/truetype/dejavu; T=/usr/share/common-licenses
part() { # FILE FIRST LAST: some paragraphs, each on a line
  sed -n "$2,$3p" $T/$1 | awk 'BEGIN{RS="";ORS="\n\n"}{gsub(/[ \n]+/," ");sub(/^ /,"");print}'; }
page() { # NAME FONT PT CHARACTERS OUT: text in lines of so many characters, at 300 dpi on A4
  $C -size 2480x3508 xc:white -density 300 -fill black -font $2 -pointsize $3 -annotate +200+300 \
    "$(fold -s -w $4 $1.txt | sed 's/\\/\\\\/g;s/%/%%/g')" -colorspace gray $5; }
part GPL-3 9 57 > clean.txt;       page clean $L/LiberationSerif-Regular.ttf 12 92 clean.png
part Apache-2.0 11 66 > small.txt; page small $D/DejaVuSans.ttf 8 118 s.png; $C s.png -resize 50% small.png
part GPL-3 76 120 > noisy.txt;     page noisy $D/DejaVuSerif.ttf 11 70 n.png
$C n.png -resize 50% -seed 1 -attenuate 0.5 +noise Gaussian -blur 0x0.7 -resize 200% -rotate -0.7 +repage \
  \( -size 2480x3508 gradient:'#ffffff'-'#b0b0b0' \) -gravity center -compose multiply -composite -level 0%,110% -quality 70 noisy.jpg
part GPL-3 135 175 > skewed.txt;   page skewed $L/LiberationSans-Regular.ttf 11 86 k.png
$C k.png -background white -rotate 4 +repage -alpha off -colorspace gray -depth 8 skewed.png
part GPL-3 180 225 > turned.txt;   page turned $L/LiberationSerif-Regular.ttf 11 100 t.png; $C t.png -rotate 90 +repage turned.png
part GPL-3 180 225 > upside.txt; $C t.png -rotate 180 +repage upside.png
# A table with lines: the text row by row.
rows="Article|Description|Quantity|Price|Total
A-1045|Mooring rope, 24 mm|12|18.40|220.80
B-2231|Anchor chain, galvanized|40|9.75|390.00
B-2239|Shackle, stainless steel|16|6.20|99.20
C-3007|Life jacket, adult|25|54.90|1372.50
C-3012|Life jacket, child|10|42.50|425.00
D-4410|Navigation lamp, port|4|37.15|148.60
D-4411|Navigation lamp, starboard|4|37.15|148.60
E-5120|Fender, cylindrical|18|29.99|539.82
E-5127|Fender, spherical|6|64.00|384.00
F-6001|Marine varnish, 2.5 l|9|31.45|283.05
F-6044|Epoxy filler, 750 g|14|22.80|319.20
G-7310|Brass hinge, 60 mm|32|4.15|132.80
G-7315|Deck screw, box of 200|11|17.60|193.60
H-8202|Signal flag, set of 40|2|119.00|238.00
H-8240|Bosun's whistle|5|12.30|61.50"
$C -size 2480x3508 xc:white -fill none -stroke black -strokewidth 3 b.png
draw=""; y=400; xs=(220 560 1300 1600 1900 2260)
while IFS='|' read -ra f; do
  for i in 0 1 2 3 4; do draw+=" rectangle ${xs[i]},$y ${xs[i+1]},$((y+100))"; done; y=$((y+100))
done <<< "$rows"
$C b.png -fill none -stroke black -strokewidth 3 -draw "$draw" b2.png
text=""; y=466
while IFS='|' read -ra f; do
  for i in 0 1 2 3 4; do text+=" text $((xs[i]+20)),$y \"${f[i]}\""; done; y=$((y+100))
done <<< "$rows"
$C b2.png -density 300 -font $L/LiberationSans-Regular.ttf -pointsize 10 -fill black -stroke none -draw "$text" -colorspace gray table.png
tr '|' ' ' <<< "$rows" > table.txt
# Two columns, with a gap of 80 pixels.
part GPL-3 230 262 > l.txt; part GPL-3 265 300 > r.txt; cat l.txt r.txt > columns.txt
$C -size 2480x3508 xc:white -density 300 -fill black -font $L/LiberationSerif-Regular.ttf -pointsize 10 \
  -annotate +190+300 "$(fold -s -w 52 l.txt)" -annotate +1290+300 "$(fold -s -w 52 r.txt)" -colorspace gray columns.png
cat > german.txt <<'X'
Sehr geehrte Frau Müller,

für die Übersendung der Unterlagen danken wir Ihnen herzlich. Nach gründlicher Prüfung können wir Ihnen mitteilen, dass die Hafenbehörde die Genehmigung für den Umbau des alten Lagerhauses an der Großen Elbstraße erteilt hat. Die Bauarbeiten dürfen ab dem 15. März beginnen und müssen spätestens bis Ende September abgeschlossen sein.

Während dieser Zeit ist die Zufahrt zum südlichen Kai für Fahrzeuge über 7,5 Tonnen gesperrt. Fußgänger und Radfahrer können den Weg entlang der Böschung weiterhin benutzen. Bitte beachten Sie, dass sich die Öffnungszeiten der Fähre ändern: Sie verkehrt werktags zwischen 6:30 und 21:15 Uhr, an Sonn- und Feiertagen nur stündlich.

Die Bauleitung übernimmt Herr Dipl.-Ing. Jürgen Weiß, der Ihnen bei Rückfragen gern zur Verfügung steht. Sämtliche Rechnungen sind an die unten angegebene Anschrift zu richten; Zahlungen werden innerhalb von dreißig Tagen geleistet. Zusätzliche Leistungen, die nicht im Vertrag aufgeführt sind, bedürfen der schriftlichen Bestätigung.

Außerdem möchten wir darauf hinweisen, dass das Gebäude unter Denkmalschutz steht. Veränderungen an der Fassade, an den Fenstern und am Dachstuhl sind deshalb nur in Abstimmung mit dem zuständigen Amt zulässig. Die historischen Kräne bleiben erhalten und werden von einem Verein gepflegt, dessen Mitglieder regelmäßig Führungen anbieten.

Mit freundlichen Grüßen
Käthe Schröder, Referatsleiterin
X
page german $L/LiberationSans-Regular.ttf 11 86 german.png
part GPL-3 305 345 > scan.txt; page scan $L/LiberationSerif-Regular.ttf 11 100 c.png
$C c.png -seed 2 -attenuate 0.2 +noise Gaussian -rotate 0.6 +repage -gravity center -extent 2480x3508 -colorspace gray -quality 60 scan.jpg
printf 'NO PARKING\nLoading bay in use\n24 hours\nHarbour Street Deliveries\n' > sign.txt
$C -seed 3 -size 4000x3000 plasma:'#667755'-'#99aabb' -blur 0x8 \( -background '#1d4f91' -fill white -font $L/LiberationSans-Bold.ttf \
  -pointsize 170 -gravity center label:"$(cat sign.txt)" -bordercolor '#1d4f91' -border 120 \) -gravity center -composite \
  -distort Perspective '0,0 150,200 4000,0 3900,60 4000,3000 3850,2850 0,3000 90,2900' -attenuate 0.3 +noise Gaussian -blur 0x1 -quality 85 sign.jpg
rm -f [snktblrc].png b2.png [lr].txt
