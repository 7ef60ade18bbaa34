"""Words that look like names of genes or proteins, but are not."""

ABBREVIATIONS_LIST = """
AIDS AKI ALL ALS AMI AML ANOVA APA ARDS ART ASD ATP ADP AMP AUC AUROC BCG BMI BP BPD CABG CAD CBT CCK CDC CFU CHD CHF
CHO CI CIS CKD CLL CML CNS CNV CNVS COPD COVID CPAP CPR CRC CSF CT CTC CVD DAPI DCM DFS DM DMSO DNA DNAS DSM ECG ECM
ECMO EEG ELISA EMG EMT ENT ESRD EU EDTA FACS FDA FDG FDR FET FISH FTIR GBM GC GDM GDP GERD GFR GMP GO GTP GWAS HAART
HBV HCC HCV HDL HIV HPLC HPV HR HRQOL HSC HSV ICU IBD IBS ICC ICD IHC III INR IQ IQR ITT IUGR IVF KEGG LDL LPS LTP
MACE MCI MDD MDS MELAS MERS MHC MI MRI MRNA MS MSC MSCS NAFLD NASH NHL NIH NICU NMR NSAID NSAIDS NSCLC NK OCD OCT OGTT
OR ORF OS PAH PBMC PBMCS PBS PCA PCOS PCR PD PET PFS PICU PKU PTSD QOL QTL QTLS RA RCT RCTS RNA RNAS RNAI ROC ROS RR
RT SARS SCLC SD SDS SEM SEER SIDS SIV SLE SNP SNPS SPECT SSRI STD SVM TB TBI TIA TMA TNM TUNEL UK UPLC US USA USD UTR
UV VAS VEGAN VLDL VTE WHO WNV WT XRD YAG ZFN AIM AIMS AND BACKGROUND CASE CASES DATA DESIGN FOR FROM IN MAIN METHOD
METHODS OF ON PATIENT PURPOSE REPORT RESULT RESULTS SETTING CINAHL CRISPR EMBASE GEO GRADE KEY LEVEL MEASURE MEASURES
NUMBER PRISMA REVIEW SPSS STROBE TCGA TRIAL TYPE STUDY THE WITH AD PC GIST GISTS DOX EC RCC SCC STZ MDMA GOF DSB MTT
"""
# Cell lines and animal strains that are written like gene symbols.
CELL_LINES_LIST = """
A375 A431 A549 BV2 C57BL C6 C2C12 Caco2 Caco-2 CHO COS COS-1 COS-7 DU145 H1299 H9 HCT116 HCT-116 HEK293 HEK293T HeLa
HepG2 HL60 HL-60 HT29 HT-29 HT1080 Huh7 HUVEC HUVECs INS1 INS-1 J774 Jurkat K562 LNCaP LoVo MCF7 MCF-7 MDA MDA-MB-231
MDCK MEF MEFs NIH3T3 NIH 3T3 PC3 PC-3 PC12 Raji RAW264 SH-SY5Y SK-N-SH SW480 SW620 THP1 THP-1 U2OS U251 U87 U937 Vero
"""
# Other words that are written like gene symbols: vitamins, gases, viruses, cell types, phases, doses.
OTHER_SYMBOLS_LIST = """
B12 Ca2 CO2 COVID-19 D3 DNase EC50 ED50 Fe2 Fe3 G0 G1 G2 H1N1 H2O2 H5N1 HIV-1 HIV-2 HPV16 HPV18 HTLV-1 HSV-1 IC50 IgA1
K2 LD50 M1 M2 Mg2 mRNA mRNAs miRNA miRNAs MeHg mtDNA NaCl NO2 O2 PaCO2 pH PM10 PM2 rRNA SARS-CoV-2 SARS-CoV siRNA
siRNAs shRNA shRNAs tRNA tRNAs lncRNA lncRNAs circRNA circRNAs cDNA cDNAs ncRNA gDNA dsDNA ssDNA dsRNA Th1 Th17 Th2
Type1 Type2 V600E VO2 Zn2 T1 T2 T3 T4 N0 N1 N2 M0 kDa mV mM nM PhD cAMP cGMP dNTP HbA1c HbA1 OH Hz kHz MHz
"""
NO_ENZYMES_LIST = """
base bases baseline case cases chase cease crease database databases decrease decreases disease diseases ease encase
erase grease increase increases lease license paraphrase phase phases phrase phrases polyphase prophase anaphase
metaphase telophase interphase biphase multiphase purchase purchases release releases showcase staircase tease vase
vases rephrase prerelease nucleobase nucleobases
"""
NO_PROTEINS_LIST = """
again aspirin ascertain attain basin begin begins berlin bin brain brains cabin certain chain chains cocaine coffin
complain constrain contain contains cortisolin curtain domain domains drain explain explains fin gain gains grain
grains heparin herein latin main maintain maintains margin margins martin mountain mountains obtain origin origins
pain pains penguin pertain plain protein proteins proteinsin rain refrain regain remain remains restrain retain
retains ruin skin spin spins stain stains strain strains sustain terrain thin train trains twin twins vein veins
villain virgin vitamin vitamins within wherein lipoprotein glycoprotein glycoproteins phosphoprotein phosphoproteins
lipoproteins apoproteins toxin toxins neurotoxin endotoxin resin resins hematoxylin eosin formalin paraffin digoxin
digitoxin rapamycin puromycin streptomycin vancomycin doxorubicin amoxicillin penicillin ampicillin methicillin
gentamicin erythromycin neomycin kanamycin bleomycin mitomycin actinomycin tunicamycin streptozotocin capsaicin statin
statins atorvastatin simvastatin pravastatin lovastatin rosuvastatin metformin warfarin colchicin melatonin serotonin
dopamin histamin saponin quercetin curcumin genistein paclitaxelin prostaglandin prostaglandins epinephrin forskolin
nystatin ivermectin ouabain captoprilin tacrolimusin cephalosporin phalloidin biotin avidin streptavidin gelatin
lecithin lignin chitin pectin melanin bilirubin porphyrin heme hemin cyclosporin cyclosporins dioxin gramicidin
ionomycin nifedipin cisplatin carboplatin oxaliplatin harbin dublin tianjin bulletin satin metastasin chromatin heroin
auxin hairpin myelin hodgkin spain britain rankin uncertain plugin delphin cousin admin login pin tin sin win kin chin
din gin inn ein darwin wistarin benin
"""
# Words that may precede "receptor", "factor" or "kinase" without being part of a name.
PLAIN_WORDS_LIST = """
protein1
a an the this that these those its their his her our of in on at by for with from to and or but nor as than is are was
were be been being has have had not no both each all any some other another such same only also into via through
between among during within without against under over after before when where which who whose while whether if then
thus we it they he she can may might could should would will shall do does did one two three four five six several
many most more less least few first second third new novel important major minor main key common single double
potential possible putative specific selective known unknown human mouse rat murine bovine mutant mutated normal
functional active inactive high low higher lower level levels increased decreased reduced elevated enhanced activated
activation expression expressed using used including included associated related dependent independent induced
mediated derived encoding encodes encoded called named different various membrane intracellular extracellular plasma
serum soluble cellular nuclear cytoplasmic surface recombinant purified endogenous exogenous downstream upstream
target critical central essential multiple total corresponding respective cognate gene genes protein proteins liver
him you me type what how out up off own very well dnarepair by-product role study studies signaling bound binding
blocking encompassing like
"""
# Words that make the following head word something else: a risk factor, a transcription factor, an ion channel.
NO_MODIFIERS_LIST = """
risk prognostic predictive transcription transcriptional causative etiologic etiological environmental genetic impact
protective confirmatory influencing significant psychological inflammatory contributing confounding prognosis limiting
rheumatoid virulence clinical independent clotting social key human safety calcium potassium sodium ion chloride
communication cell surface nuclear steroid orphan membrane coupled sensory hormone tumor-specific viral specific
dominant reverse enzyme protein proteinase protease channel selective small-molecule cross pump reuptake synthetic
peptide growth tyrosine lipid major transforming stress correction conversion scale form
"""

ABBREVIATIONS = frozenset(ABBREVIATIONS_LIST.split())
CELL_LINES = frozenset(CELL_LINES_LIST.split())
OTHER_SYMBOLS = frozenset(OTHER_SYMBOLS_LIST.split())
NO_ENZYMES = frozenset(NO_ENZYMES_LIST.split())
NO_PROTEINS = frozenset(NO_PROTEINS_LIST.split())
PLAIN_WORDS = frozenset(PLAIN_WORDS_LIST.split())
NO_MODIFIERS = frozenset(NO_MODIFIERS_LIST.split())
NO_SYMBOLS = ABBREVIATIONS | CELL_LINES | OTHER_SYMBOLS
# Symbols and aliases of genes that usually mean something else in texts.
NO_GENE_NAMES_LIST = """
ACT AGE AIM APEX ARC ARCH ARM ARMS ASP ATLAS BAD BAG BAIT BASE BEST BITE CAGE CALM CAMP CAP CAR CASH CAST CAT CATS
CELL CHIP CLIP COIL COPE COX CT DIF EAR ECG FACE FACT FAST FAT FIND FISH FIT GAPS GAS GENE GRASP HALL HER HIP HOPE ICE
IMPACT IRIS JAM LARGE LIGHT LIME LINK MAIL MARCH MASS MATE MAX MED MEN MICE MINE MIST MODEL NET NORM NOVA PACE PAGE
PATH PEG PET PIT POINT PROM RAF RANGE RAT REST RING SAFE SCAN SET SHIP SKI SPIN SPOT STAR STEP STOP TASK TANK TEST TIP
TRAP TRIO WARS WAS WISH wings small large bent even pale CA1 CA3 CA2 D1 D2 CC50 C10 C57 P50 p50 Fc TH2 TH1 T4 T8 NS1
NS3 NS5A E6 E7 S100 L1 N95 K18 H3 H4 H2A H2B H1 U1 U2 MMSE HOMA SOFA ASA IV IIA App Kit GAL LOX RED ERA RAY NPS TOF
MOF NO3 CIS CTS SCS CMS VIII API ESI TEM LED NIR ATAC DCR PCL COD CCL4 ML-1 16S 18S 28S GCS ISS PI PPI SSC TMS DBS DLB
MSA PSP ALD ARF ATN FAP HD SCA GVHD MODS CRS ICH SAH DIC TTP ITP HUS PVR ACS CCS LAD RCA AAA PAD DVT PE MPI BRB TRIM
AIP AIMP PSA LBP CPD CP SI EDS DCS NPC ESD POI PDI PSC PBC AIH TCM TNBC
"""
NO_GENE_NAMES = frozenset(NO_GENE_NAMES_LIST.split())
# Names in MeSH, without a plural s, of no particular disease or chemical, or of mostly something else.
NO_MESH_NAMES_LIST = """
acid adrenergic agent antagonist birth-weight body-weight buffer capsule carbon-14 carcinogenesi cation cause
cholinergic complication death drug disease element emergency enzyme ester fat ganglion gas gel hormone illness
infection ion lead marker mediator metal placebo recurrence retinal rupture salt shock signs-and-symptom solution
solvent stenosi stroke sugar suspension syndrome tablet trauma weight-gain weight-loss wound
"""
NO_MESH_NAMES = frozenset(name.replace("-", " ") for name in NO_MESH_NAMES_LIST.split())
